r"""
fault = "none: the solver halves its step where Newton does not converge, and says so in warnings; the run ends as meant."
kind = "healthy-warnings"
outcome = "healthy"
on = ["plain"]
shows = "burned out at"
limit = 60
program = "MPICH, mpi4py"
"""

import subprocess
import sys

subprocess.run(["mpirun", "-n", "4", sys.executable, "../flame.py"], check=True)
