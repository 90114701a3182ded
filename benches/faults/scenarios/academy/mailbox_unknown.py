"""
fault = "an action is sent to an agent that is not registered at the exchange"
must = ["BadEntityId|[Uu]nknown|not (found|registered)|[Mm]ailbox"]
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
