r"""
fault = "a worker process is killed (SIGKILL) while its task runs; no retries"
kind = "killed"
outcome = "failed"
cause = [{ file = "**/*", text = 'WorkerLost|[Ww]orker \d+ has died|[Ll]oss of worker|worker.*(lost|died)' }]
subject = ["task 4"]
on = ["parsl-2026.10.26", "parsl-2024.6.3"]
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
