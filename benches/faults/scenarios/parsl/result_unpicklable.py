"""
fault = "an app returns a generator, which cannot be pickled"
kind = "unpicklable"
outcome = "failed"
cause = [{ file = "**/*", text = "cannot pickle|generator' object|SerializationError" }]
subject = ["task 2"]
shows = "3 of 4 results"
"""
import fault
from parsl import python_app


@python_app
def lines(n):
    return (line for line in range(5)) if n == 2 else n


with fault.load():
    fault.results([lines(n) for n in range(4)])
