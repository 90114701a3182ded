"""
fault = "KeyError 'pressure' is answered by RuntimeError 'cannot write restart file', from the code that reports it"
kind = "exception"
outcome = "failed"
cause = [{ file = "**/*", text = "KeyError: 'pressure'|cannot write restart file" }]
subject = ["task 2"]
shows = "3 of 4 results"
"""
import fault
from parsl import python_app


@python_app
def restart(n):
    state = {"pressure": 1} if n != 2 else {}
    try:
        return state["pressure"]
    except KeyError:
        raise RuntimeError("cannot write restart file")


with fault.load():
    fault.results([restart(n) for n in range(4)])
