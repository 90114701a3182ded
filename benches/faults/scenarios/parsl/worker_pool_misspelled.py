r"""
fault = "launch_cmd names a worker pool that does not exist"
kind = "import"
outcome = "failed"
cause = [{ file = "**/*", text = 'process_worker_poool\.py: (command )?not found' }]
subject = ["block 0", "executor htex"]
shows = "0 of 4 results"
"""
import fault
from parsl import python_app


@python_app
def work(n):
    return n


command = "process_worker_poool.py {debug} -a {addresses} --port={worker_port} --logdir={logdir} --block_id={{block_id}}"
with fault.load(fault.htex(launch_cmd=command)):
    fault.results([work(n) for n in range(4)])
