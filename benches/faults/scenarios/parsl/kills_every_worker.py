r"""
fault = "one task kills every worker that runs it, at each of its three tries"
kind = "killed"
outcome = "failed"
cause = [{ file = "**/*", text = 'WorkerLost|[Ww]orker \d+ has died|[Ll]oss of worker|worker.*(lost|died)' }]
subject = ["task 2"]
shows = "3 of 4 results"
"""
import fault
from parsl import python_app


@python_app
def crash_here(n):
    import os, signal
    if n == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return n


with fault.load(retries=2):
    fault.results([crash_here(n) for n in range(4)])
