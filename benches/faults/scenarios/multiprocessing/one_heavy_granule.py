r"""
fault = "One of 48 granules has twelve times as many points as the others; its clustering is quadratic and everything waits for it."
kind = "straggler"
outcome = "slow"
cause = [
  { file = "mosaic.log", text = 'G0231\b', which = "all" },
]
subject = ["granule G0231"]
shows = 'mosaic written, 48 granules'
"""

import logging
import multiprocessing as mp
import os
import random
import time

FORM = "%(asctime)s.%(msecs)03d [%(process)d] %(levelname)s %(message)s"
logging.basicConfig(filename="mosaic.log", level=logging.INFO, format=FORM, datefmt="%Y%m%d %H%M%S")
log = logging.getLogger()


def clustered(granule):
    begun = time.monotonic()
    log.info("%s clustering", granule)
    chance = random.Random(granule)
    points = [(chance.random(), chance.random()) for _ in range(5600 if granule == "G0231" else chance.randint(380, 520))]
    near = 0
    for x, y in points:
        for u, v in points:
            near += abs(x - u) < 0.01 and abs(y - v) < 0.01
    log.info("%s clusters written, %d pairs, %.2f s", granule, near, time.monotonic() - begun)
    return near


def main():
    granules = [f"G{n:04}" for n in range(208, 256)]
    log.info("mosaic of pass 8841: %d granules, 4 workers", len(granules))
    begun, pairs = time.monotonic(), 0
    with mp.Pool(4) as pool:
        for n, part in enumerate(pool.imap(clustered, granules), 1):
            pairs += part
            if n % 4 == 0:
                log.info("seams joined up to strip %d", n // 4)
    log.info("mosaic written, %d granules, %d pairs, %.1f s (planned 8 s)", len(granules), pairs, time.monotonic() - begun)
    print(f"mosaic written, {len(granules)} granules")


main()
