"""
fault = "the HTTP exchange is killed while agents work"
kind = "lost-peer"
outcome = "failed"
cause = [
    { file = "**/*", text = "Cannot connect to host|ClientConnectorError|Connect call failed|Server disconnected|ServerDisconnected|Connection reset" },
    { file = "exchange.log", text = ".", which = "last" },
]
seconds = 30
stop = "KILL"
"""
import asyncio

import fault_academy as fa


async def main(manager):
    counter = await manager.launch(fa.Counter, name="counter")
    await fa.answers([counter.add(n) for n in range(2)])
    fa.kill_exchange()
    await asyncio.sleep(1)
    await fa.answers([counter.add(n) for n in range(2)])


if __name__ == "__main__":
    fa.run(main)
