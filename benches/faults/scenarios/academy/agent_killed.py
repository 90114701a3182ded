"""
fault = "the process of agent `counter` is killed (SIGKILL); its caller waits for ever; killed after 25 s"
severity = ["error", "warning"]
must = ["counter|agent|process", "killed|lost|died|terminated abruptly|BrokenProcessPool|silent|heartbeat|inactive|not answered|unanswered|no answer"]
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
