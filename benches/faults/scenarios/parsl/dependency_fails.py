"""
fault = "task 0 divides by zero; ten tasks wait for it and fail with it"
on = ["parsl-2026.10.26", "parsl-2024.6.3"]
must = ["ZeroDivisionError|division by zero", "ratio|task.{0,8}\\b0\\b"]
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
