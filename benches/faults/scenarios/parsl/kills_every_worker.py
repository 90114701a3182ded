"""
fault = "one task kills every worker that runs it, at each of its three tries"
must = ["worker", "lost|died|killed|ended", "task.{0,8}\\b2\\b|poison|crash_here"]
shows = "7 of 8 results"
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
    fault.results([crash_here(n) for n in range(8)])
