"""
fault = "every second task of 24 fails with one and the same error: one cause, not twelve"
must = ["quota of project exceeded", "\\b12\\b"]
shows = "12 of 24 results"
"""
import fault
from parsl import python_app


@python_app
def submit(n):
    if n % 2:
        raise PermissionError("quota of project exceeded")
    return n


with fault.load():
    fault.results([submit(n) for n in range(24)])
