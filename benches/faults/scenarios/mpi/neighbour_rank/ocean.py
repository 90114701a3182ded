import logging
import time

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
logging.basicConfig(
    filename=f"ocean.{comm.rank}.log", level=logging.INFO, format="%(asctime)s [%(levelname)s] %(name)s: %(message)s",
)
log = logging.getLogger(f"strip{comm.rank}")
west, east = comm.rank - 1 if comm.rank else MPI.PROC_NULL, comm.rank + 1
height = np.zeros(400)


def tides(hours):
    log.info("tides: %d hours", hours)
    for hour in range(hours):
        height[:] = np.sin(hour / 12.4 * 2 * np.pi + comm.rank)
        time.sleep(0.04)
        if hour % 6 == 0:
            log.info("hour %d: level %.2f m", hour, height.mean())


def currents(hours):
    log.info("currents: %d hours, neighbours %s and %s", hours, west, east)
    edge = np.zeros(1)
    for hour in range(hours):
        comm.Sendrecv(height[-1:], east, 0, edge, west, 0)
        height[0] = edge[0]
        log.info("hour %d: inflow %.3f", hour, edge[0])


try:
    log.info("strip %d of %d, %d points", comm.rank, comm.size, len(height))
    tides(48)
    comm.Barrier()
    currents(24)
    log.info("finished")
except Exception:
    log.exception("strip %d stopped", comm.rank)
    comm.Abort(3)
