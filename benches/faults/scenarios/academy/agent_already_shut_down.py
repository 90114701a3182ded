r"""
fault = "an action is sent to an agent that was shut down before"
kind = "lost-peer"
outcome = "failed"
cause = [{ file = "**/*", text = "TerminatedError|(was|has been|been) (terminated|closed|shut ?down)" }]
subject = [
    "agent counter",
    "agent AgentId<counter>",
    { class = "agent", file = "academy/logs/**/*", text = "uid=UUID\\('([0-9a-f-]{36})'\\), name='counter'" },
]
"""
import asyncio

import fault_academy as fa


async def main(manager):
    counter = await manager.launch(fa.Counter, name="counter")
    await fa.answers([counter.add(1)])
    await counter.shutdown()
    await asyncio.sleep(2)
    await fa.answers([counter.add(2)])


if __name__ == "__main__":
    fa.run(main)
