"""
fault = "an action blocks the event loop of its agent, so that the agent answers nothing; killed after 18 s"
severity = ["error", "warning"]
must = ["never|unfinished|unanswered|no answer|not answered|still|running|hang|stuck|silent|not end", "simulate|action|sim"]
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
