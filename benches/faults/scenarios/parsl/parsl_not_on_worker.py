r"""
fault = "worker_init sets a PATH without Parsl: process_worker_pool.py is not found"
kind = "import"
outcome = "failed"
cause = [{ file = "**/*", text = 'process_worker_pool\.py: (command )?not found' }]
subject = ["block 0", "executor htex"]
shows = "0 of 4 results"
"""
import fault
from parsl import python_app


@python_app
def work(n):
    return n


with fault.load(fault.htex(worker_init="export PATH=/usr/bin:/bin")):
    fault.results([work(n) for n in range(4)])
