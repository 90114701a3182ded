r"""
fault = "agent `reader` raises PermissionError while it starts"
kind = "refused"
outcome = "failed"
cause = [{ file = "**/*", text = "Permission denied|/archive/2026" }]
subject = [
    "agent reader",
    "agent AgentId<reader>",
    { class = "agent", file = "academy/logs/**/*", text = "uid=UUID\\('([0-9a-f-]{36})'\\), name='reader'" },
]
innocent = ["agent counter", "agent AgentId<counter>"]
"""
import fault_academy as fa
from academy.agent import Agent, action


class Reader(Agent):
    async def agent_on_startup(self):
        raise PermissionError(13, "Permission denied", "/archive/2026")

    @action
    async def read(self):
        return 1


async def main(manager):
    counter = await manager.launch(fa.Counter, name="counter")
    reader = await manager.launch(Reader, name="reader")
    await fa.answers([counter.add(1), reader.read()])


if __name__ == "__main__":
    fa.run(main)
