r"""
fault = "agent `solver` imports a module that is not installed while it starts"
kind = "import"
outcome = "failed"
cause = [{ file = "**/*", text = "petsc9py" }]
subject = [
    "agent solver",
    "agent AgentId<solver>",
    { class = "agent", file = "academy/logs/**/*", text = "uid=UUID\\('([0-9a-f-]{36})'\\), name='solver'" },
]
"""
import fault_academy as fa
from academy.agent import Agent, action


class Solver(Agent):
    async def agent_on_startup(self):
        import petsc9py
        self.context = petsc9py.Context()

    @action
    async def solve(self, n):
        return n


async def main(manager):
    solver = await manager.launch(Solver, name="solver")
    await fa.answers([solver.solve(n) for n in range(2)])


if __name__ == "__main__":
    fa.run(main)
