"""
fault = "a task kills the process of its worker (SIGKILL), no retries"
kind = "killed"
outcome = "failed"
cause = [
    { file = "**/*", text = "WorkerCrashed|[Ww]orker .*(died|crash|killed)|SIGKILL|unexpected(ly)? (exit|system)|connection error code" },
]
subject = ["task simulate"]
shows = "3 of 4"
"""
import fault_ray as fr
import ray


@ray.remote(max_retries=0)
def simulate(n):
    import os, signal
    if n == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return n


with fr.session():
    fr.answers([simulate.remote(n) for n in range(4)])
