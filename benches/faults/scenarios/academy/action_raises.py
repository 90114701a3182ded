r"""
fault = "one of 5 actions raises ValueError: matrix is singular"
kind = "exception"
outcome = "failed"
cause = [{ file = "**/*", text = "matrix is singular" }]
subject = [
    "agent solver",
    "agent AgentId<solver>",
    { class = "agent", file = "academy/logs/**/*", text = "uid=UUID\\('([0-9a-f-]{36})'\\), name='solver'" },
    { class = "action", file = "academy/logs/**/*", text = "Action invert ended with exception, with invocation id ([0-9a-f-]{36})" },
]
shows = "4 of 5"
"""
import fault_academy as fa
from academy.agent import Agent, action


class Solver(Agent):
    @action
    async def invert(self, n):
        if n == 3:
            raise ValueError("matrix is singular")
        return 1 / (n + 1)


async def main(manager):
    solver = await manager.launch(Solver, name="solver")
    await fa.answers([solver.invert(n) for n in range(5)])


if __name__ == "__main__":
    fa.run(main)
