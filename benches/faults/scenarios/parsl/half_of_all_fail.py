"""
fault = "every second task of 12 fails with one and the same error: one cause, not six"
kind = "resource"
outcome = "failed"
cause = [{ file = "**/*", text = "quota of project exceeded" }]
subject = ["app submit", "task 1", "task 3", "task 5", "task 7", "task 9", "task 11"]
shows = "6 of 12 results"
"""
import fault
from parsl import python_app


@python_app
def submit(n):
    if n % 2:
        raise PermissionError("quota of project exceeded")
    return n


with fault.load():
    fault.results([submit(n) for n in range(12)])
