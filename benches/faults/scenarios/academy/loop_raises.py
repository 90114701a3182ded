r"""
fault = "the control loop of agent `watcher` raises after two seconds, which ends the agent"
kind = "exception"
outcome = "failed"
cause = [{ file = "**/*", text = "telescope is parked" }]
subject = [
    "agent watcher",
    "agent AgentId<watcher>",
    { class = "agent", file = "academy/logs/**/*", text = "uid=UUID\\('([0-9a-f-]{36})'\\), name='watcher'" },
]
"""
import asyncio

import fault_academy as fa
from academy.agent import Agent, action, loop


class Watcher(Agent):
    @loop
    async def watch(self, shutdown: asyncio.Event) -> None:
        await asyncio.sleep(2)
        raise RuntimeError("telescope is parked")

    @action
    async def look(self):
        return 1


async def main(manager):
    watcher = await manager.launch(Watcher, name="watcher")
    await fa.answers([watcher.look()])
    await asyncio.sleep(4)
    await fa.answers([watcher.look()])


if __name__ == "__main__":
    fa.run(main)
