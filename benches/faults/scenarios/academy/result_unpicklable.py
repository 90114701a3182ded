r"""
fault = "the result of an action cannot be pickled"
kind = "unpicklable"
outcome = "hangs"
cause = [{ file = "**/*", text = "cannot pickle|PicklingError|SerializationError" }]
subject = [
    "agent streamer",
    "agent AgentId<streamer>",
    { class = "agent", file = "academy/logs/**/*", text = "uid=UUID\\('([0-9a-f-]{36})'\\), name='streamer'" },
    { class = "action", file = "academy/logs/**/*", text = "Invoking action stream with tag id ([0-9a-f-]{36})" },
]
seconds = 30
stop = "KILL"
"""
import fault_academy as fa
from academy.agent import Agent, action


class Streamer(Agent):
    @action
    async def stream(self, n):
        return (value for value in range(n))


async def main(manager):
    streamer = await manager.launch(Streamer, name="streamer")
    await fa.ready(streamer)
    await fa.answers([streamer.stream(4)])


if __name__ == "__main__":
    fa.run(main)
