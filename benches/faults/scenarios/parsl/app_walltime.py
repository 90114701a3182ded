"""
fault = "a task takes longer than the walltime of its app (1 s)"
must = ["AppTimeout|walltime|time ?limit|timed out|exceeded", "relax|task.{0,8}\\b1\\b"]
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
