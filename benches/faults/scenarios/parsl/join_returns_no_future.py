"""
fault = "a join app returns a number instead of a future"
kind = "exception"
outcome = "failed"
cause = [{ file = "**/*", text = "TypeError|join.*[Ff]uture" }]
subject = ["task 0"]
on = ["parsl-2026.10.26", "parsl-2024.6.3"]
shows = "0 of 1 results"
"""
import fault
from parsl import join_app


@join_app
def sweep(n):
    return 5


with fault.load():
    fault.results([sweep(1)])
