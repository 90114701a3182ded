r"""
fault = "none: a service gets SIGTERM from its user, cancels what is under way, keeps the rest for the next start and ends"
kind = "healthy-stop"
outcome = "healthy"
subject = []
shows = 'stopped, 0 messages lost'
stop = "TERM"
seconds = 9
"""

import asyncio
import logging
import random
import signal
from pathlib import Path

import fault

logging.basicConfig(filename="relay.log", level=logging.DEBUG, format="%(asctime)s %(levelname)s:%(name)s:%(message)s")
log = logging.getLogger("relay")


async def deliver(number, pending):
    own = log.getChild(f"deliver.{number}")
    while True:
        message = await pending.get()
        own.debug("message %d taken", message)
        try:
            await asyncio.sleep(random.uniform(0.2, 0.7))
        except asyncio.CancelledError:
            own.info("cancelled, message %d goes back to the queue", message)
            pending.put_nowait(message)
            raise
        own.info("message %d delivered to mx%d.example.org", message, message % 3)


async def receive(pending):
    for message in range(1, 1000):
        await pending.put(message)
        await asyncio.sleep(0.09)


async def main():
    stop, pending = asyncio.Event(), asyncio.Queue()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    log.info("started, 4 deliverers")
    tasks = [asyncio.create_task(receive(pending))] + [asyncio.create_task(deliver(n, pending)) for n in range(4)]
    fault.begun()
    await stop.wait()
    log.warning("SIGTERM received, shutting down")
    for task in tasks:
        task.cancel()
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    log.info("%d tasks cancelled", sum(isinstance(result, asyncio.CancelledError) for result in ended))
    Path("../spool.txt").write_text("\n".join(str(pending.get_nowait()) for _ in range(pending.qsize())))
    log.info("spool written, stopped, 0 messages lost")


asyncio.run(main())
