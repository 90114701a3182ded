r"""
fault = "The process of rank 2 is killed by signal 9 while it assembles its matrix, as the kernel does when memory is short."
kind = "killed"
outcome = "failed"
cause = [{ file = "workflow.err", text = "process rank 2 with PID.*signal 9" }, { file = "assemble.log", text = "rank 2 ", which = "last" }]
subject = ["rank 2"]
innocent = ["rank 0", "rank 1", "rank 3"]
on = ["services"]
needs = ["openmpi-bin"]
shows = "signal 9"
limit = 60
program = "Open MPI 4.1.4, mpi4py 4.1.2"
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

import fault

run = subprocess.Popen([
    "mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "--mca", "btl", "self,vader",
    "--mca", "btl_vader_single_copy_mechanism", "none", "-n", "4", sys.executable, "../assemble.py",
])
fault.wait_for("rank 2 rows 11", "assemble.log", 40)
os.kill(int(Path("../rank2.pid").read_text()), signal.SIGKILL)
sys.exit(run.wait())
