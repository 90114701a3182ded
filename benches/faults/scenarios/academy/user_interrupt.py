"""
fault = "the user presses Ctrl-C while actions run"
kind = "interrupt"
outcome = "failed"
cause = [{ file = "**/*", text = "KeyboardInterrupt|SIGINT|[Ii]nterrupt(ed)? by" }]
seconds = 5
stop = "INT"
"""
import asyncio

import fault_academy as fa
from academy.agent import Agent, action


class Slow(Agent):
    @action
    async def train(self, n):
        await asyncio.sleep(n)
        return n


async def main(manager):
    slow = await manager.launch(Slow, name="slow")
    await fa.ready(slow)
    await fa.answers([slow.train(n) for n in (0, 1, 60)])


if __name__ == "__main__":
    fa.run(main)
