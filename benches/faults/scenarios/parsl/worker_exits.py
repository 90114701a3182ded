r"""
fault = "task 3 ends its worker with os._exit(1)"
kind = "exit-status"
outcome = "failed"
cause = [{ file = "**/*", text = 'WorkerLost|[Ww]orker \d+ has died|[Ll]oss of worker|worker.*(lost|died)' }]
subject = ["task 3"]
on = ["parsl-2026.10.26", "parsl-2024.6.3"]
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
