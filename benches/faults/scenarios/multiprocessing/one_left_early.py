r"""
fault = "The process of a band whose points are all under ice at step 14 returns; the barrier of the halo exchange counts on all eight."
kind = "barrier"
outcome = "hangs"
cause = [
  { file = "ocean.log", text = 'band-5 .*', which = "last" },
]
subject = ["process band-5"]
shows = 'band-5 .*nothing to integrate'
stop = "KILL"
seconds = 10
"""

import logging
import logging.handlers
import multiprocessing as mp
import random
import time

import fault

SEA = [812, 1044, 1190, 977, 430, 96, 268, 655]


def prepare(records):
    root = logging.getLogger()
    root.handlers = [logging.handlers.QueueHandler(records)]
    root.setLevel(logging.INFO)


def integrate(band, points, barrier, records):
    prepare(records)
    log = logging.getLogger("ocean.band")
    log.info("rows %d to %d, %d sea points", band * 45, band * 45 + 44, points)
    field = [random.random() for _ in range(points)]
    for step in range(1, 200):
        ice = step * 7
        if ice >= points:
            log.info("step %d: %d of %d points under ice, nothing to integrate", step, points, points)
            return
        field = [0.5 * (a + b) for a, b in zip(field, field[1:] + field[:1])]
        time.sleep(0.05 + points / 20_000)
        log.info("step %d integrated, mean %.4f, to halo exchange", step, sum(field) / points)
        barrier.wait()
        log.info("step %d halo exchanged", step)


def main():
    records = mp.Queue()
    target = logging.FileHandler("ocean.log")
    target.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(processName)s %(name)s: %(message)s"))
    listener = logging.handlers.QueueListener(records, target)
    listener.start()
    prepare(records)
    log = logging.getLogger("ocean.model")
    log.info("grid 360 x 720, 8 bands, 199 steps of 600 s")
    for name in ("bathymetry", "temperature", "salinity", "wind stress", "runoff"):
        time.sleep(0.1)
        log.info("read %s, 259200 values, %d missing", name, random.randint(80_000, 90_000))
    barrier = mp.Barrier(len(SEA))
    bands = [mp.Process(target=integrate, args=(n, p, barrier, records), name=f"band-{n}") for n, p in enumerate(SEA)]
    for band in bands:
        band.start()
    fault.begun()
    for seconds in range(0, 3600, 3):
        time.sleep(3)
        log.info("diagnostics after %d s: model day 0, %d restart files", seconds + 3, 0)
    for band in bands:
        band.join()


main()
