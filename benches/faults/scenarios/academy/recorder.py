r"""
fault = "the recorder writes each block to a slow store (0.5 s); its buffer of eight blocks is full, so that the three antennas that fill it have to wait, and the scan takes five times as long"
kind = "back-pressure"
outcome = "slow"
cause = [{ file = "recorder.log", text = "buffer 8/8" }, { file = "recorder.log", text = "stored block .* in 0\\.[5-9]" }]
subject = ["agent recorder"]
innocent = ["agent antenna-1", "agent antenna-2", "agent antenna-3"]
shows = "3 of 3"
"""
import asyncio
import logging
import random
import time

import acad
import fault_academy as fa
from academy.agent import Agent, action, loop


def log_of(name):
    log = logging.getLogger(name)
    if not log.handlers:
        handler = logging.FileHandler(f"{name}.log")
        handler.setFormatter(logging.Formatter("%(relativeCreated)8d ms  %(levelname)-7s %(message)s"))
        log.addHandler(handler)
        log.setLevel(logging.INFO)
        log.propagate = False
    return log


class Recorder(Agent):
    def __init__(self):
        self.buffer = asyncio.Queue(8)

    @action
    async def put(self, antenna, n):
        await self.buffer.put((antenna, n))
        log_of("recorder").info("block %d of %s in, buffer %d/8", n, antenna, self.buffer.qsize())

    @loop
    async def store(self, shutdown: asyncio.Event) -> None:
        while not shutdown.is_set():
            try:
                antenna, n = await asyncio.wait_for(self.buffer.get(), 1)
            except TimeoutError:
                continue
            begun = time.time()
            await asyncio.sleep(random.uniform(0.5, 0.6))
            log_of("recorder").info("stored block %d of %s, 4 MiB in %.2f s", n, antenna, time.time() - begun)


class Antenna(Agent):
    def __init__(self, recorder, name):
        self.recorder, self.name = recorder, name

    @action
    async def scan(self, blocks):
        log = log_of(self.name)
        for n in range(blocks):
            await asyncio.sleep(0.25)
            begun = time.time()
            await self.recorder.put(self.name, n)
            log.info("block %d sent (%.2f s), tsys %.1f K, el %.1f deg", n, time.time() - begun, random.gauss(31, 1), 40 + n / 4)
        return blocks


async def main(manager):
    recorder = await manager.launch(Recorder, name="recorder")
    antennas = [await manager.launch(Antenna, args=(recorder, f"antenna-{n}"), name=f"antenna-{n}") for n in (1, 2, 3)]
    await fa.ready(recorder, *antennas)
    begun = time.time()
    await fa.answers([antenna.scan(12) for antenna in antennas])
    print(f"36 blocks in {time.time() - begun:.1f} s")


if __name__ == "__main__":
    acad.run(main, exchange="http")
