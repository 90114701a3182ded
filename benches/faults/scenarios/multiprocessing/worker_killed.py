r"""
fault = "A process of the pool gets SIGKILL while it renders; the pool is broken and the program ends with its traceback."
kind = "killed"
outcome = "failed"
cause = [
  { file = "workflow.err", text = 'BrokenProcessPool: ', which = "all" },
]
subject = []
shows = 'BrokenProcessPool'
limit = 60
"""

import logging
import multiprocessing as mp
import time
from concurrent.futures import ProcessPoolExecutor

import fault

logging.basicConfig(filename="render.log", level=logging.INFO, format="[%(asctime)s] %(process)d %(levelname)s %(name)s | %(message)s")
log = logging.getLogger("render")


def frame(number):
    log.info("frame %04d begun", number)
    total = 0
    until = time.monotonic() + 0.25 + number % 5 / 20
    while time.monotonic() < until:
        total = (total * 31 + number) % 1_000_003
    log.info("frame %04d written, luma %d", number, total % 256)
    return total


def main():
    log.info("shot 014, frames 1001 to 1090, 3 processes")
    with ProcessPoolExecutor(3) as pool:
        fault.later(5, lambda: fault.send("KILL", "workflow|main", slice(-1, None)))
        for done, _ in enumerate(pool.map(frame, range(1001, 1091)), 1):
            if done % 10 == 0:
                log.info("%d frames of 90 in the shot", done)
    log.info("shot written")


if __name__ == "__main__":
    main()
