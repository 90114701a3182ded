"""
fault = "task 7 of 12 raises ValueError: negative grid spacing"
kind = "exception"
outcome = "failed"
cause = [{ file = "**/*", text = "negative grid spacing" }]
subject = ["task 7"]
on = ["parsl-2026.10.26", "parsl-2024.6.3"]
shows = "11 of 12 results"
"""
import fault
from parsl import python_app


@python_app
def refine(n):
    if n == 7:
        raise ValueError("negative grid spacing")
    return n * n


with fault.load():
    fault.results([refine(n) for n in range(12)])
