"""
fault = "none: an agent with a control loop and a timer, which are ended with it, in the process of the program"
kind = "healthy"
outcome = "healthy"
shows = "4 of 4"
"""
import asyncio

import fault_academy as fa
from academy.agent import Agent, action, loop, timer


class Station(Agent):
    def __init__(self):
        self.value = 0

    @loop
    async def measure(self, shutdown: asyncio.Event) -> None:
        while not shutdown.is_set():
            self.value += 1
            await asyncio.sleep(0.5)

    @timer(1)
    async def report(self) -> None:
        print("value", self.value)

    @action
    async def last(self):
        return self.value


async def main(manager):
    station = await manager.launch(Station, name="station")
    await asyncio.sleep(2)
    await fa.answers([station.last() for _ in range(4)])


if __name__ == "__main__":
    fa.run(main, exchange="local", processes=False)
