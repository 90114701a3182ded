r"""
fault = "The last rank of the line takes its own number plus one for its eastern neighbour, a rank that does not exist."
kind = "exception"
outcome = "failed"
cause = [
    { file = "ocean.5.log", text = "MPI_ERR_RANK|ERROR.*strip 5" },
]
subject = ["rank 5"]
innocent = ["rank 0", "rank 1", "rank 2", "rank 3", "rank 4"]
on = ["services"]
needs = ["openmpi-bin"]
shows = "MPI_ERR_RANK"
limit = 60
program = "Open MPI 4.1.4, mpi4py 4.1.2"
"""

import subprocess
import sys

sys.exit(subprocess.run([
    "mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "--mca", "btl", "self,vader",
    "--mca", "btl_vader_single_copy_mechanism", "none", "-n", "6", sys.executable, "../ocean.py",
]).returncode)
