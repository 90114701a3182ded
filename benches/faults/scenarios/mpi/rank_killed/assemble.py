import os
import random
import resource
import time
from pathlib import Path

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
Path(f"../rank{comm.rank}.pid").write_text(str(os.getpid()))
log = open("assemble.log", "a", buffering=1)


def say(text):
    log.write(f"[{time.strftime('%d/%b/%Y:%H:%M:%S')}] INFO rank {comm.rank} {text}\n")


rows, blocks = 4000, []
density = 3 if comm.rank == 2 else 1
say(f"starts, rows {rows * comm.rank} to {rows * (comm.rank + 1)}")
for at in range(0, rows, 100):
    blocks.append(np.ones((100, 4000 * density)))
    time.sleep(random.uniform(0.08, 0.16))
    if at % 200 == 100:
        say(f"rows {at} assembled, {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")
say("assembled, solving")
comm.Barrier()
say("finished")
