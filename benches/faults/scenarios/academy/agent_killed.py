r"""
fault = "the process of agent `counter` is killed (SIGKILL); its caller waits for ever; killed after 25 s"
kind = "killed"
outcome = "failed"
cause = [{ file = "**/*", text = "BrokenProcessPool|terminated abruptly" }]
subject = [
    "agent counter",
    "agent AgentId<counter>",
    { class = "agent", file = "academy/logs/**/*", text = "uid=UUID\\('([0-9a-f-]{36})'\\), name='counter'" },
]
seconds = 25
stop = "KILL"
"""
import asyncio

import fault_academy as fa


async def main(manager):
    counter = await manager.launch(fa.Counter, name="counter")
    await fa.answers([counter.add(1)])
    pid = await counter.pid()
    fa.kill(pid)
    await asyncio.sleep(1)
    await fa.answers([counter.add(2)])


if __name__ == "__main__":
    fa.run(main)
