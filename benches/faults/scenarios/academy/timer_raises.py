"""
fault = "the timer of agent `poller` raises KeyError: 'queue_length'"
must = ["queue_length", "poll"]
"""
import asyncio

import fault_academy as fa
from academy.agent import Agent, action, timer


class Poller(Agent):
    @timer(1)
    async def poll(self) -> None:
        return {}["queue_length"]

    @action
    async def state(self):
        return 1


async def main(manager):
    poller = await manager.launch(Poller, name="poller")
    await asyncio.sleep(3)
    await fa.answers([poller.state()])


if __name__ == "__main__":
    fa.run(main)
