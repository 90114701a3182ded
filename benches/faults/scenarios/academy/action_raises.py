"""
fault = "one of 10 actions raises ValueError: matrix is singular"
must = ["matrix is singular", "invert|solver"]
shows = "9 of 10"
"""
import fault_academy as fa
from academy.agent import Agent, action


class Solver(Agent):
    @action
    async def invert(self, n):
        if n == 6:
            raise ValueError("matrix is singular")
        return 1 / (n + 1)


async def main(manager):
    solver = await manager.launch(Solver, name="solver")
    await fa.answers([solver.invert(n) for n in range(10)])


if __name__ == "__main__":
    fa.run(main)
