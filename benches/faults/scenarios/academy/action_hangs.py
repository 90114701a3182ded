r"""
fault = "an action never answers, others do; the program is killed after 15 s"
kind = "livelock"
outcome = "hangs"
cause = [
    { file = "academy/logs/**/*", text = 'Invoking action integrate with tag id ([0-9a-f-]{36})(?![\s\S]*ompleted action integrate with tag id \1)' },
]
subject = [
    "agent integrator",
    "agent AgentId<integrator>",
    { class = "agent", file = "academy/logs/**/*", text = "uid=UUID\\('([0-9a-f-]{36})'\\), name='integrator'" },
    { class = "action", file = "academy/logs/**/*", text = 'Invoking action integrate with tag id ([0-9a-f-]{36})(?![\s\S]*ompleted action integrate with tag id \1)' },
]
seconds = 15
stop = "KILL"
"""
import asyncio

import fault_academy as fa
from academy.agent import Agent, action


class Integrator(Agent):
    @action
    async def integrate(self, n):
        while n == 3:
            await asyncio.sleep(1)
        return n


async def main(manager):
    integrator = await manager.launch(Integrator, name="integrator")
    await fa.ready(integrator)
    await fa.answers([integrator.integrate(n) for n in range(6)])


if __name__ == "__main__":
    fa.run(main)
