import random
import time

from loguru import logger
from mpi4py import MPI

comm = MPI.COMM_WORLD
logger.remove()
logger.add(f"flame_{comm.rank:02}.log", format="{time:YYYY-MM-DD HH:mm:ss.SSS} | {level: <8} | {name}:{function}:{line} - {message}")
rolls = random.Random(100 + comm.rank)


def newton(cell, dt):
    left = rolls.uniform(0.5, 1.5) * dt * 1e6
    for n in range(1, 13):
        left *= rolls.uniform(0.3, 0.95)
        if left < 0.05:
            return n
    return None


def main():
    logger.info("flame on {} ranks, mechanism gri30, 53 species", comm.size)
    now, step, cells = 0.0, 0, range(comm.rank * 40, comm.rank * 40 + 40)
    while now < 2.4e-5:
        step, dt = step + 1, 1e-6
        for cell in cells:
            while not newton(cell, dt):
                dt /= 2
                logger.warning("cell {}: Newton did not converge in 12 iterations, step now {:.3g} s", cell, dt)
        dt = comm.allreduce(dt, MPI.MIN)
        now += dt
        time.sleep(0.08)
        logger.info("step {} t {:.3g} s dt {:.3g} s T max {:.0f} K", step, now, dt, 1400 + 6e7 * now)
        if step % 10 == 0:
            logger.info("checkpoint {} written", step)
    logger.success("burned out at {:.3g} s after {} steps", now, step)


main()
