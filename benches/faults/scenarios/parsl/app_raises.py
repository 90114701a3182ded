"""
fault = "task 7 of 20 raises ValueError: negative grid spacing"
on = ["parsl-2026.10.26", "parsl-2024.6.3"]
must = ["negative grid spacing", "refine|task.{0,8}\\b7\\b"]
shows = "19 of 20 results"
"""
import fault
from parsl import python_app


@python_app
def refine(n):
    if n == 7:
        raise ValueError("negative grid spacing")
    return n * n


with fault.load():
    fault.results([refine(n) for n in range(20)])
