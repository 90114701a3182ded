r"""
fault = "an action blocks the event loop of its agent, so that the agent answers nothing; killed after 18 s"
kind = "starvation"
outcome = "hangs"
cause = [
    { file = "academy/logs/**/*", text = "Invoking action simulate with invocation id", which = "last" },
    { file = "academy/logs/**/*", text = "Waiting for result of action simulate", which = "last" },
    { file = "academy/logs/**/*", text = "Started action with tag", which = "last" },
]
subject = [
    "agent sim",
    "agent AgentId<sim>",
    { class = "agent", file = "academy/logs/**/*", text = "uid=UUID\\('([0-9a-f-]{36})'\\), name='sim'" },
    { class = "action", file = "academy/logs/**/*", text = "Invoking action simulate with invocation id ([0-9a-f-]{36})", which = "last" },
]
seconds = 18
stop = "KILL"
"""
import time

import fault_academy as fa
from academy.agent import Agent, action


class Simulator(Agent):
    @action
    async def simulate(self, n):
        if n == 2:
            time.sleep(3600)
        return n


async def main(manager):
    simulator = await manager.launch(Simulator, name="sim")
    await fa.ready(simulator)
    for n in range(6):
        await fa.answers([simulator.simulate(n)])


if __name__ == "__main__":
    fa.run(main)
