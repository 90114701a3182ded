"""
fault = "task 3 ends its worker with os._exit(1)"
on = ["parsl-2026.10.26", "parsl-2024.6.3"]
must = ["worker", "lost|died|exit|ended|killed", "task 3|\\b3\\b"]
shows = "7 of 8 results"
"""
import fault
from parsl import python_app


@python_app
def step(n):
    import os
    if n == 3:
        os._exit(1)
    return n


with fault.load():
    fault.results([step(n) for n in range(8)])
