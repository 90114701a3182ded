r"""
fault = "three programs reserve two instruments each, one after the other; in one round survey holds the telescope and asks for the spectrograph, followup holds the spectrograph and asks for the camera, monitor holds the camera and asks for the telescope; killed after 16 s"
kind = "deadlock"
outcome = "hangs"
cause = [
    { file = "night.log", text = "asked by survey, held by followup", which = "last" },
    { file = "night.log", text = "asked by followup, held by monitor", which = "last" },
    { file = "night.log", text = "asked by monitor, held by survey", which = "last" },
]
subject = ["agent survey", "agent followup", "agent monitor", "agent telescope", "agent spectrograph", "agent camera"]
innocent = ["agent weather"]
stop = "KILL"
seconds = 16
"""
import asyncio
import logging
import random
import time

import acad
import fault_academy as fa
from academy.agent import Agent, action, loop

handler = logging.FileHandler("night.log")
handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
night = logging.getLogger("night")
night.addHandler(handler)
night.setLevel(logging.INFO)
night.propagate = False


class Instrument(Agent):
    def __init__(self, name):
        self.log = night.getChild(name)
        self.lock = asyncio.Lock()
        self.user = None

    @action
    async def reserve(self, who):
        if self.user:
            self.log.info("asked by %s, held by %s", who, self.user)
        await self.lock.acquire()
        self.user = who
        self.log.info("given to %s", who)

    @action
    async def give_back(self, who):
        self.user = None
        self.lock.release()
        self.log.info("back from %s", who)


class Program(Agent):
    def __init__(self, name, first, second, targets):
        self.log = night.getChild(name)
        self.name, self.first, self.second, self.targets = name, first, second, targets

    @action
    async def observe(self, start, offsets):
        for target, offset in zip(self.targets, offsets):
            await asyncio.sleep(max(0, start + offset - time.time()))
            self.log.info("target %s at airmass %.2f", target, random.uniform(1, 1.8))
            await self.first.reserve(self.name)
            await asyncio.sleep(0.4)
            await self.second.reserve(self.name)
            await asyncio.sleep(0.4)
            self.log.info("target %s done, snr %d", target, random.randint(20, 90))
            await self.second.give_back(self.name)
            await self.first.give_back(self.name)
        return len(self.targets)


class Weather(Agent):
    @loop
    async def watch(self, shutdown: asyncio.Event) -> None:
        while not shutdown.is_set():
            night.getChild("weather").info("wind %.1f m/s, humidity %d %%", random.uniform(2, 5), random.randint(30, 40))
            await asyncio.sleep(1.5)


async def main(manager):
    await manager.launch(Weather, name="weather")
    tools = {name: await manager.launch(Instrument, args=(name,), name=name) for name in ("telescope", "spectrograph", "camera")}
    plan = [
        ("survey", "telescope", "spectrograph", ["N1023", "N2841", "N4258", "N5033"], [0.5, 2.6, 4.0, 6.0]),
        ("followup", "spectrograph", "camera", ["SN26ab", "SN26cd", "SN26ef", "SN26gh"], [1.0, 2.8, 5.0, 6.0]),
        ("monitor", "camera", "telescope", ["3C273", "OJ287", "BLLac", "Mrk421"], [1.5, 3.0, 5.4, 6.0]),
    ]
    programs = [(await manager.launch(Program, args=(n, tools[a], tools[b], t), name=n), o) for n, a, b, t, o in plan]
    await fa.ready(*[p for p, _ in programs])
    start = time.time()
    await fa.answers([p.observe(start, o) for p, o in programs])


if __name__ == "__main__":
    acad.run(main)
