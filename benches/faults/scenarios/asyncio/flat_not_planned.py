r"""
fault = "Exposures in filter R wait for the master flat of R, but tonight's flat plan has only B, V and I; nobody makes it."
kind = "no-producer"
outcome = "hangs"
cause = [
  { file = "night.log", text = 'waiting for master flat R', which = "all" },
  { file = "night.log", text = 'flat plan', which = "first" },
]
subject = ["filter R"]
shows = 'waiting for master flat R'
stop = "INT"
seconds = 14
"""

import asyncio
import logging
import random

import fault

logging.basicConfig(
    filename="night.log", level=logging.INFO, datefmt="%Y-%m-%dT%H:%M:%S", format="%(asctime)s.%(msecs)03d %(name)-10s %(levelname)-7s %(message)s"
)
PLAN = {"flats": ["B", "V", "I"], "science": ["V", "B", "R", "I"]}
FIELDS = ["NGC 6946", "M 74", "UGC 4904", "IC 342"]


async def flats(masters):
    log = logging.getLogger("dome.flats")
    log.info("flat plan: %s, 5 exposures each", " ".join(PLAN["flats"]))
    for band in PLAN["flats"]:
        for n in range(1, 6):
            await asyncio.sleep(0.12)
            log.info("flat %s %d of 5, %.1f s, median %d counts", band, n, random.uniform(2, 9), random.randint(24_000, 31_000))
        masters[band].set_result(f"mflat_{band}.fits")
        log.info("master flat %s written", band)
    log.info("dome closed")


async def reduce(frames, masters):
    log = logging.getLogger("reduce")
    while True:
        name, band = await frames.get()
        log.info("%s: bias and overscan removed", name)
        if not masters[band].done():
            log.info("%s: waiting for master flat %s", name, band)
        flat = await masters[band]
        await asyncio.sleep(0.1)
        log.info("%s: divided by %s, %d stars found", name, flat, random.randint(60, 900))
        frames.task_done()


async def camera(frames):
    log = logging.getLogger("camera")
    for n in range(1, 7):
        for field in FIELDS:
            for band in PLAN["science"]:
                name = f"{field.replace(' ', '').lower()}_{band}_{n:03}"
                await asyncio.sleep(0.07)
                log.info("exposure %s read out, seeing %.2f", name, random.uniform(0.8, 1.6))
                await frames.put((name, band))
    log.info("last exposure of the night")


async def main():
    masters = {band: asyncio.get_running_loop().create_future() for band in "BVRI"}
    frames = asyncio.Queue()
    reducers = [asyncio.create_task(reduce(frames, masters)) for _ in range(40)]
    fault.begun()
    await asyncio.gather(flats(masters), camera(frames))
    logging.getLogger("night").info("%d frames not reduced yet, closing after them", frames._unfinished_tasks)
    await frames.join()
    for task in reducers:
        task.cancel()


asyncio.run(main())
