"""
fault = "a worker process is killed (SIGKILL) while its task runs; no retries"
on = ["parsl-2026.10.26", "parsl-2024.6.3"]
must = ["worker", "lost|died|killed|SIGKILL|ended", "task.{0,8}\\b4\\b"]
never = ["manager.{0,30}lost"]
shows = "7 of 8 results"
"""
import fault
from parsl import python_app


@python_app
def work(n):
    import os, signal, time
    time.sleep(0.3)
    if n == 4:
        # As the memory killer of the kernel does.
        os.kill(os.getpid(), signal.SIGKILL)
    return n


with fault.load():
    fault.results([work(n) for n in range(8)])
