"""
fault = "none: 12 tasks on two workers"
kind = "healthy"
outcome = "healthy"
on = ["parsl-2026.10.26", "parsl-2024.6.3"]
shows = "12 of 12"
"""
import fault
from parsl import python_app


@python_app
def work(n):
    return n * n


with fault.load():
    fault.results([work(n) for n in range(12)])
