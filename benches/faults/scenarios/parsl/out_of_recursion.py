"""
fault = "an app calls itself without an end"
kind = "exception"
outcome = "failed"
cause = [{ file = "**/*", text = "RecursionError|maximum recursion depth" }]
subject = ["task 1"]
shows = "3 of 4 results"
"""
import fault
from parsl import python_app


@python_app
def walk(n):
    def visit(node):
        return visit(node) + 1
    return visit(0) if n == 1 else n


with fault.load():
    fault.results([walk(n) for n in range(4)])
