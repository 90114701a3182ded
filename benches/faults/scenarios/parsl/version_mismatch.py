"""
fault = "the workers come from an environment with another version of Parsl"
kind = "version"
outcome = "failed"
cause = [{ file = "**/*", text = "[Vv]ersion ?[Mm]ismatch|VersionMismatch|does not match" }]
subject = ["block 0"]
needs = ["parsl-2024.6.3"]
shows = "0 of 4 results"
"""
import fault
from parsl import python_app


@python_app
def work(n):
    return n


init = f"export PATH={fault.ENVIRONMENTS}/parsl-2024.6.3/bin:$PATH"
command = (
    "process_worker_pool.py --max_workers_per_node=2 -a 127.0.0.1 -p 0 -c 0.1 -m None --poll 10 --port={worker_port} --cert_dir {cert_dir} "
    "--logdir={logdir} --block_id={{block_id}} --hb_period=1 --hb_threshold=6 --drain_period=None --cpu-affinity none --mpi-launcher=mpiexec "
    "--available-accelerators"
)
with fault.load(fault.htex(worker_init=init, launch_cmd=command)):
    fault.results([work(n) for n in range(4)])
