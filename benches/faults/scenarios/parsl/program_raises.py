"""
fault = "the submit program itself raises between two batches of tasks, all of which succeed"
kind = "exception"
outcome = "failed"
cause = [{ file = "**/*", text = "IndexError|list index out of range" }]
shows = "IndexError"
"""
import fault
from parsl import python_app


@python_app
def work(n):
    return n


with fault.load():
    values = [task.result() for task in [work(n) for n in range(5)]]
    fault.results([work(values[n]) for n in range(3, 8)])
