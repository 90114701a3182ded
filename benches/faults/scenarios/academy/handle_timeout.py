"""
fault = "the caller gives up an action after 3 s (asyncio.wait_for)"
severity = ["error", "warning"]
must = ["TimeoutError|timed out|gave up|given up|cancel|not answered|unanswered"]
shows = "TimeoutError"
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
    await fa.answers([slow.train(0), asyncio.wait_for(slow.train(60), 3)])


if __name__ == "__main__":
    fa.run(main)
