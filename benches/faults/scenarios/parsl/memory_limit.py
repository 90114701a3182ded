"""
fault = "an app runs into a limit of its memory (RLIMIT_AS)"
kind = "resource"
outcome = "failed"
cause = [{ file = "**/*", text = "MemoryError" }]
subject = ["task 2"]
shows = "3 of 4 results"
"""
import fault
from parsl import python_app


@python_app
def allocate(n):
    import resource
    if n == 2:
        resource.setrlimit(resource.RLIMIT_AS, (600_000_000, 600_000_000))
        return len(bytearray(2_000_000_000))
    return n


with fault.load():
    fault.results([allocate(n) for n in range(4)])
