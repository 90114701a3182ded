import argparse
import logging
import time

import numpy as np
from mpi4py import MPI

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int)
steps = parser.parse_args().steps
comm = MPI.COMM_WORLD
me = comm.rank
logging.basicConfig(
    filename=f"rank-{me}.log", level=logging.DEBUG, format=f"%(asctime)s.%(msecs)03d r{me} %(levelname)-5s %(message)s",
    datefmt="%H:%M:%S",
)
field = np.full((64, 40_000), 20.0 + me)
ghost = np.empty(40_000)


def exchange(step, other, edge):
    if me % 2 == 0:
        logging.debug("step %d halo: sending row to rank %d", step, other)
        comm.Send(field[edge], other, tag=step)
        comm.Recv(ghost, other, tag=step)
    else:
        logging.debug("step %d halo: receiving row from rank %d", step, other)
        comm.Recv(ghost, other, tag=step)
        comm.Send(field[edge], other, tag=step)
    field[edge] = (field[edge] + ghost) / 2
    logging.debug("step %d halo: rank %d done", step, other)


order = list(range(comm.size))
logging.info("heat on %d ranks, block %s", comm.size, field.shape)
for step in range(1, steps + 1):
    if step == 19:
        order = comm.bcast([0, 1, 4, 2, 3], 0)
        logging.info("new order of blocks: %s", order)
    at = order.index(me)
    began = time.time()
    if at > 0:
        exchange(step, order[at - 1], 0)
    if at < comm.size - 1:
        exchange(step, order[at + 1], -1)
    field[1:-1] += 0.1 * (field[2:] + field[:-2] - 2 * field[1:-1])
    time.sleep(0.05)
    logging.info("step %d mean %.3f K, %.0f ms", step, field.mean(), 1000 * (time.time() - began))
logging.info("done")
