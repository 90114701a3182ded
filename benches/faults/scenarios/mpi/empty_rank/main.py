r"""
fault = "Rank 3 has no exposures in this night and returns before the barrier that all others wait at."
kind = "barrier"
outcome = "hangs"
cause = [{ file = "workflow.out", text = "^\\[3\\].*no exposures in my fields" }]
subject = ["rank 3"]
innocent = ["rank 0"]
on = ["plain"]
shows = "waiting for all before the mosaic"
stop = "TERM"
seconds = 8
limit = 60
program = "MPICH, mpi4py"
"""

import subprocess
import sys

import fault

run = subprocess.Popen(["mpirun", "-prepend-rank", "-n", "6", sys.executable, "-u", "../mosaic.py", "2026-03-14"])
fault.wait_for("(?s)(waiting for all.*){5}", "workflow.out", 40)
fault.begun()
run.wait()
