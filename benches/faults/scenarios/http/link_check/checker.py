import asyncio
import collections
import logging
import sys

import aiohttp

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(levelname)-7s %(name)s: %(message)s")
log = logging.getLogger("links")
found = collections.Counter()


async def check(session, url, room):
    async with room:
        try:
            async with session.get(url) as answer:
                if answer.status >= 400:
                    log.warning("%s: %d %s", url, answer.status, answer.reason)
                found["good" if answer.status < 400 else "broken"] += 1
        except TimeoutError:
            log.warning("%s: no answer in 2 s", url)
            found["slow"] += 1
        except aiohttp.ClientConnectorError as error:
            log.warning("%s: %s", url, error)
            found["unreachable"] += 1


async def main():
    urls = [f"http://127.0.0.1:8261/page/{n}" for n in range(1, 61)] + ["http://127.0.0.1:8262/old-blog"]
    log.info("checking %d links of docs/", len(urls))
    room = asyncio.Semaphore(6)
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(2)) as session:
        await asyncio.gather(*(check(session, url, room) for url in urls))
    log.info("report written: %s", ", ".join(f"{n} {kind}" for kind, n in sorted(found.items())))


asyncio.run(main())
