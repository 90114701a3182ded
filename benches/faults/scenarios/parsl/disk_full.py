"""
fault = "an app writes to a full disk"
kind = "resource"
outcome = "failed"
cause = [{ file = "**/*", text = "No space left" }]
subject = ["task 4"]
on = ["parsl-2026.10.26", "parsl-2024.6.3"]
shows = "5 of 6 results"
"""
import fault
from parsl import python_app


@python_app
def dump(n):
    with open("/dev/full" if n == 4 else "/dev/null", "w") as file:
        file.write("x" * 100_000)
    return n


with fault.load():
    fault.results([dump(n) for n in range(6)])
