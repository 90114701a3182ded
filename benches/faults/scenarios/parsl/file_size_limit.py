"""
fault = "an app writes more than it may into a file (RLIMIT_FSIZE)"
kind = "resource"
outcome = "failed"
cause = [{ file = "**/*", text = "File too large" }]
subject = ["task 1"]
shows = "3 of 4 results"
"""
import fault
from parsl import python_app


@python_app
def trajectory(n):
    import resource
    if n == 1:
        resource.setrlimit(resource.RLIMIT_FSIZE, (9_000, 9_000))
        with open("trajectory.xtc", "wb") as file:
            file.write(b"x" * 18_000)
        # The log of the worker has to grow again.
    return n


with fault.load():
    fault.results([trajectory(n) for n in range(4)])
