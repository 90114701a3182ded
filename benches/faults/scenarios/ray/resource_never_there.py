"""
fault = "a task wants a GPU, of which there is none; killed after 15 s"
kind = "no-consumer"
outcome = "hangs"
cause = [{ file = "**/*", text = "GPU|infeasible|cannot be scheduled" }]
seconds = 15
stop = "KILL"
"""
import fault
import fault_ray as fr
import ray


@ray.remote(num_gpus=1)
def train(n):
    return n


with fr.session():
    tasks = [train.remote(n) for n in range(2)]
    fault.begun()
    fr.answers(tasks)
