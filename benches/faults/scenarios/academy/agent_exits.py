r"""
fault = "an action of agent `counter` ends its process with os._exit(7)"
kind = "exit-status"
outcome = "failed"
cause = [{ file = "**/*", text = "BrokenProcessPool|terminated abruptly" }]
subject = [
    "agent counter",
    "agent AgentId<counter>",
    { class = "agent", file = "academy/logs/**/*", text = "uid=UUID\\('([0-9a-f-]{36})'\\), name='counter'" },
]
seconds = 25
stop = "KILL"
"""
import os

import fault_academy as fa
from academy.agent import Agent, action


class Fragile(Agent):
    @action
    async def work(self, n):
        if n == 2:
            os._exit(7)
        return n


async def main(manager):
    fragile = await manager.launch(Fragile, name="counter")
    await fa.ready(fragile)
    for n in range(4):
        await fa.answers([fragile.work(n)])


if __name__ == "__main__":
    fa.run(main)
