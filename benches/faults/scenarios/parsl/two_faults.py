"""
fault = "nine tasks fail for a missing file, one for a value: what brought about more comes first"
must = ["forcing\\.nc"]
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
