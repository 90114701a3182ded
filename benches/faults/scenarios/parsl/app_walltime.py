"""
fault = "a task takes longer than the walltime of its app (1 s)"
kind = "timeout"
outcome = "failed"
cause = [{ file = "**/*", text = "AppTimeout|[Tt]imeout|walltime" }]
subject = ["task 1"]
shows = "3 of 4 results"
"""
import fault
from parsl import python_app


@python_app
def relax(n, walltime=1):
    import time
    for _ in range(80 if n == 1 else 0):
        time.sleep(0.1)
    return n


with fault.load():
    fault.results([relax(n) for n in range(4)])
