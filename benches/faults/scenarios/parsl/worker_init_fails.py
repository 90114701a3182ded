"""
fault = "worker_init calls a program that is not there and ends the block's script; no worker comes"
kind = "import"
outcome = "failed"
cause = [{ file = "**/*", text = "conda_of_site9: (command )?not found" }]
subject = ["block 0", "executor htex"]
on = ["parsl-2026.10.26", "parsl-2024.6.3"]
shows = "0 of 4 results"
"""
import fault
from parsl import python_app


@python_app
def work(n):
    return n


with fault.load(fault.htex(worker_init="conda_of_site9 activate physics || exit 3")):
    fault.results([work(n) for n in range(4)])
