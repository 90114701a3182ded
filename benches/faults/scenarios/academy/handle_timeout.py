r"""
fault = "the caller gives up an action after 3 s (asyncio.wait_for)"
kind = "timeout"
outcome = "failed"
cause = [
    { file = "**/*", text = "TimeoutError" },
    { file = "academy/logs/**/*", text = 'Invoking action train with tag id ([0-9a-f-]{36})(?![\s\S]*ompleted action train with tag id \1)', optional = true },
]
subject = [
    { class = "action", file = "academy/logs/**/*", text = 'Invoking action train with tag id ([0-9a-f-]{36})(?![\s\S]*ompleted action train with tag id \1)' },
]
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
