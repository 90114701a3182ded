r"""
fault = "none: the operator asks for a stop (SIGTERM) while agents work; each ends what it has begun, is shut down, and the program ends with status 0"
kind = "healthy-stop"
outcome = "healthy"
shows = "stopped on request"
"""
import asyncio
import logging
import os
import random
import signal

import acad
import fault_academy as fa
from academy.agent import Agent, action, loop


class Crawler(Agent):
    def __init__(self, name, journal):
        self.name, self.journal, self.pages = name, journal, 0
        self.log = logging.getLogger(f"crawl.{name}")

    @loop
    async def crawl(self, shutdown: asyncio.Event) -> None:
        while not shutdown.is_set():
            await asyncio.sleep(random.uniform(0.2, 0.5))
            self.pages += 1
            await self.journal.note(self.name, self.pages)
            if random.random() < 0.15:
                self.log.warning("page %d of %s: 404, skipped", self.pages, self.name)
        self.log.info("%s: %d pages, frontier saved", self.name, self.pages)

    @action
    async def count(self):
        return self.pages

    async def agent_on_shutdown(self):
        self.log.info("%s: connections closed", self.name)


class Journal(Agent):
    def __init__(self):
        self.seen = 0

    @action
    async def note(self, name, pages):
        self.seen += 1
        if self.seen % 5 == 0:
            logging.getLogger("crawl.journal").info("%d pages noted, last %s", self.seen, name)


async def main(manager):
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    journal = await manager.launch(Journal, name="journal")
    crawlers = [await manager.launch(Crawler, args=(n, journal), name=n) for n in ("north", "south", "west")]
    await fa.ready(journal, *crawlers)
    asyncio.get_running_loop().call_later(7, os.kill, os.getpid(), signal.SIGTERM)
    await stop.wait()
    logging.getLogger("crawl").info("signal 15 received, shutting down")
    pages = [await crawler.count() for crawler in crawlers]
    for crawler in crawlers:
        await manager.shutdown(crawler, blocking=True)
    await manager.shutdown(journal, blocking=True)
    print(f"stopped on request after {sum(pages)} pages")


if __name__ == "__main__":
    acad.run(main, exchange="http")
