"""
fault = "the HTTP exchange is stopped (SIGSTOP): requests get no answer; killed after 30 s"
kind = "lost-peer"
outcome = "hangs"
cause = [{ file = "exchange.log", text = ".", which = "last" }, { file = "**/*", text = "Timeout|timed out", optional = true }]
seconds = 30
stop = "KILL"
"""
import asyncio

import fault_academy as fa


async def main(manager):
    counter = await manager.launch(fa.Counter, name="counter")
    for n in range(5):
        await fa.answers([counter.add(n)])
    fa.kill_exchange("STOP")
    await fa.answers([counter.add(n) for n in range(5)])


if __name__ == "__main__":
    fa.run(main)
