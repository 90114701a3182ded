"""
fault = "task 0 divides by zero; ten tasks wait for it and fail with it"
kind = "exception"
outcome = "failed"
cause = [{ file = "**/*", text = "division by zero|ZeroDivisionError" }]
subject = ["task 0"]
innocent = ["task 1", "task 2", "task 3", "task 4", "task 5", "task 6", "task 7", "task 8", "task 9", "task 10"]
on = ["parsl-2026.10.26", "parsl-2024.6.3"]
shows = "0 of 11 results"
"""
import fault
from parsl import python_app


@python_app
def ratio(a, b):
    return a / b


@python_app
def use(value, n):
    return value + n


with fault.load():
    first = ratio(1, 0)
    fault.results([first] + [use(first, n) for n in range(10)])
