r"""
fault = "The beam sits in the domain of rank 4, which has five times the particles of the others; all wait for it in every step."
kind = "straggler"
outcome = "slow"
cause = [
    { file = "pic.4.log", text = "push_ms=" },
    { file = "pic.4.log", text = "loaded particles" },
]
subject = ["rank 4"]
innocent = ["rank 0", "rank 1", "rank 2", "rank 3", "rank 5"]
on = ["services"]
needs = ["openmpi-bin"]
shows = "finished steps=40"
limit = 110
program = "Open MPI 4.1.4, mpi4py 4.1.2"
"""

import subprocess
import sys

subprocess.run([
    "mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "--mca", "btl", "self,vader",
    "--mca", "btl_vader_single_copy_mechanism", "none", "-n", "6", sys.executable, "../pic.py",
], check=True)
