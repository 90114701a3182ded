r"""
fault = "task 1 sleeps for ever on the only worker; ten tasks wait for the slot; killed after 18 s"
kind = "starvation"
outcome = "hangs"
cause = [
    { file = "runinfo/*/parsl.log", text = '\b[Tt]ask 1 ' },
    { file = "runinfo/*/htex/block-0/*/worker_0.log", text = ".", which = "last" },
]
subject = ["task 1"]
innocent = ["task 2", "task 3", "task 4", "task 5", "task 6", "task 7", "task 8", "task 9", "task 10", "task 11"]
seconds = 18
stop = "KILL"
"""
import fault
from parsl import python_app


@python_app
def listen(n):
    import time
    time.sleep(3600 if n == 0 else 0)
    return n


with fault.load(fault.htex(workers=1)):
    fault.results([listen(5)])
    tasks = [listen(n) for n in range(11)]
    fault.begun()
    fault.results(tasks)
