"""
fault = "an action is sent to an agent that was shut down before"
must = ["[Tt]erminated|shut ?down|closed"]
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
