r"""
fault = "nine tasks fail for a missing file, one for a value: what brought about more comes first"
kind = "missing-input"
outcome = "failed"
cause = [{ file = "**/*", text = "No such file or directory: 'forcing\\.nc'" }]
subject = ["app step", "task 1", "task 2", "task 3", "task 4", "task 5", "task 6", "task 7", "task 8", "task 9"]
innocent = ["task 0"]
shows = "2 of 12 results"
"""
import fault
from parsl import python_app


@python_app
def step(n):
    if n == 0:
        raise ValueError("time step is zero")
    if n < 10:
        open("forcing.nc")
    return n


with fault.load():
    fault.results([step(n) for n in range(12)])
