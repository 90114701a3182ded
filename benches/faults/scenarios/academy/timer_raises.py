r"""
fault = "the timer of agent `poller` raises KeyError: 'queue_length'"
kind = "exception"
outcome = "failed"
cause = [{ file = "**/*", text = "queue_length" }]
subject = [
    "agent poller",
    "agent AgentId<poller>",
    { class = "agent", file = "academy/logs/**/*", text = "uid=UUID\\('([0-9a-f-]{36})'\\), name='poller'" },
]
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
