r"""
fault = "After a new order of the blocks two neighbours have the same colour: ranks 2 and 4 both send their halo first, with blocking sends too large to be buffered."
kind = "deadlock"
outcome = "hangs"
cause = [
    { file = "rank-2.log", text = "halo", which = "last" },
    { file = "rank-4.log", text = "halo", which = "last" },
]
subject = ["rank 2", "rank 4"]
innocent = ["rank 0", "rank 1", "rank 3"]
on = ["services"]
needs = ["openmpi-bin"]
shows = "new order of blocks"
stop = "TERM"
seconds = 8
limit = 60
program = "Open MPI 4.1.4, mpi4py 4.1.2"
"""

import subprocess
import sys

import fault

run = subprocess.Popen([
    "mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "--mca", "btl", "self,vader",
    "--mca", "btl_vader_single_copy_mechanism", "none", "-n", "5", sys.executable, "../heat.py", "--steps", "60",
])
fault.wait_for("new order", "rank-0.log", 40)
fault.begun()
run.wait()
