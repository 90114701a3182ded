r"""
fault = "agent `writer` raises OSError: No space left on device when it is shut down"
kind = "resource"
outcome = "failed"
cause = [{ file = "**/*", text = "No space left" }]
subject = [
    "agent writer",
    "agent AgentId<writer>",
    { class = "agent", file = "academy/logs/**/*", text = "uid=UUID\\('([0-9a-f-]{36})'\\), name='writer'" },
]
"""
import fault_academy as fa
from academy.agent import Agent, action


class Writer(Agent):
    @action
    async def put(self, n):
        return n

    async def agent_on_shutdown(self):
        with open("/dev/full", "w") as file:
            file.write("state")


async def main(manager):
    writer = await manager.launch(Writer, name="writer")
    await fa.answers([writer.put(n) for n in range(4)])


if __name__ == "__main__":
    fa.run(main)
