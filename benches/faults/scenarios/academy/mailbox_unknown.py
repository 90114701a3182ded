r"""
fault = "an action is sent to an agent that is not registered at the exchange"
kind = "lost-peer"
outcome = "failed"
cause = [{ file = "**/*", text = "BadEntityId|[Uu]nknown (entity|mailbox|agent)|\" 404 |(not|never) registered" }]
subject = [
    "agent stranger",
    "agent AgentId<stranger>",
    { class = "agent", file = "academy/logs/**/*", text = "uid=UUID\\('([0-9a-f-]{36})'\\), name='stranger'" },
]
innocent = ["agent counter", "agent AgentId<counter>"]
seconds = 30
stop = "KILL"
"""
import fault_academy as fa
from academy.handle import Handle
from academy.identifier import AgentId


async def main(manager):
    counter = await manager.launch(fa.Counter, name="counter")
    await fa.ready(counter)
    stranger = Handle(AgentId.new(name="stranger"), exchange=manager.exchange_client)
    await fa.answers([counter.add(1), stranger.add(1)])


if __name__ == "__main__":
    fa.run(main)
