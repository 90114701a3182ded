r"""
fault = "two agents each wait inside an action for an answer of the other; killed after 15 s"
kind = "deadlock"
outcome = "hangs"
cause = [{ file = "academy/logs/**/*", text = "[Ii]nvoking (action ask|\"ask\" action)|result of action ask" }]
subject = [
    "agent left",
    "agent AgentId<left>",
    { class = "agent", file = "academy/logs/**/*", text = "uid=UUID\\('([0-9a-f-]{36})'\\), name='left'" },
    "agent right",
    "agent AgentId<right>",
    { class = "agent", file = "academy/logs/**/*", text = "uid=UUID\\('([0-9a-f-]{36})'\\), name='right'" },
]
seconds = 15
stop = "KILL"
"""
import asyncio

import fault_academy as fa
from academy.agent import Agent, action


class Partner(Agent):
    def __init__(self):
        self.guard = asyncio.Lock()
        self.other = None

    @action
    async def meet(self, other):
        self.other = other

    @action
    async def ask(self, n):
        async with self.guard:
            await asyncio.sleep(0.5)
            return await self.other.ask(n + 1)


async def main(manager):
    left = await manager.launch(Partner, name="left")
    right = await manager.launch(Partner, name="right")
    await fa.ready(left, right)
    await left.meet(right)
    await right.meet(left)
    await fa.answers([left.ask(0), right.ask(0)])


if __name__ == "__main__":
    fa.run(main, processes=False)
