"""
fault = "the program of a bash app ends with exit status 42"
kind = "exit-status"
outcome = "failed"
cause = [{ file = "**/*", text = "exit code 42" }]
subject = ["task 4"]
on = ["parsl-2026.10.26", "parsl-2024.6.3"]
shows = "7 of 8 results"
"""
import fault
from parsl import bash_app


@bash_app
def compile_mesh(n):
    return "exit 42" if n == 4 else "true"


with fault.load():
    fault.results([compile_mesh(n) for n in range(8)])
