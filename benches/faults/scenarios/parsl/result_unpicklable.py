"""
fault = "an app returns a generator, which cannot be pickled"
must = ["cannot pickle|generator|serializ", "lines|task.{0,8}\\b2\\b"]
shows = "3 of 4 results"
"""
import fault
from parsl import python_app


@python_app
def lines(n):
    return (line for line in range(5)) if n == 2 else n


with fault.load():
    fault.results([lines(n) for n in range(4)])
