r"""
fault = "a task inside a join app raises FloatingPointError; the join fails with it"
kind = "exception"
outcome = "failed"
cause = [{ file = "**/*", text = "underflow in kernel 3" }]
subject = [{ class = "task", file = "runinfo/*/parsl.log", text = 'Task (\d+) try 0 failed with exception of type FloatingPointError' }]
innocent = ["task 1"]
shows = "1 of 2 results"
"""
import fault
from parsl import join_app, python_app


@python_app
def kernel(n):
    if n == 3:
        raise FloatingPointError("underflow in kernel 3")
    return n


@join_app
def sweep(first):
    return [kernel(n) for n in range(first, first + 3)]


with fault.load():
    fault.results([sweep(0), sweep(3)])
