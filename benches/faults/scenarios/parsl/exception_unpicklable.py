"""
fault = "an app raises an exception that cannot be made again from its pickle: the thread that reads results fails, and the program waits for ever"
kind = "unpicklable"
outcome = "hangs"
cause = [{ file = "**/*", text = "required positional argument|SolverError" }]
subject = ["task 2"]
shows = "TypeError"
seconds = 20
stop = "KILL"
"""
import fault
from parsl import python_app


@python_app
def solve(n):
    class SolverError(Exception):
        def __init__(self, step, residual):
            super().__init__(f"diverged at step {step}: residual {residual}")

    if n == 2:
        raise SolverError(n, 1e9)
    return n


with fault.load():
    fault.results([solve(0), solve(1)])
    fault.begun()
    fault.results([solve(n) for n in range(2, 5)])
