r"""
fault = "Of four price feeds, programs of their own, that of Lyon is killed in the middle of a message; the collector cannot do without it."
kind = "lost-peer"
outcome = "failed"
cause = [
  { file = "collector.log", text = 'ERROR.*lyon', which = "all" },
  { file = "*", text = '(IncompleteReadError|ConnectionResetError|ConnectionError): ', which = "all" },
]
subject = ["feed lyon"]
shows = 'feed lyon'
limit = 60
"""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import fault
from loguru import logger

FEED = '''
import asyncio, json, random, sys, time
name, socket = sys.argv[1:]
async def serve(reader, writer):
    print(time.strftime("%H:%M:%S"), name, "client connected", flush=True)
    for number in range(1, 61):
        body = json.dumps({"feed": name, "n": number, "price": round(random.uniform(40, 90), 2)}).encode()
        writer.write(len(body).to_bytes(4, "big") + body[:20])
        await writer.drain()
        await asyncio.sleep(0.12)
        writer.write(body[20:])
        await writer.drain()
        if number % 10 == 0:
            print(time.strftime("%H:%M:%S"), name, "sent", number, flush=True)
    writer.close()
async def main():
    server = await asyncio.start_unix_server(serve, socket)
    print(time.strftime("%H:%M:%S"), name, "listening", flush=True)
    await server.serve_forever()
asyncio.run(main())
'''
logger.remove()
logger.add("collector.log", format="{time:YYYY-MM-DD HH:mm:ss.SSS} | {level: <8} | {name}:{function}:{line} - {message}", backtrace=False, diagnose=False)


async def collect(name):
    reader, writer = await asyncio.open_unix_connection(f"../{name}.sock")
    logger.info("feed {}: connected", name)
    prices = []
    while len(prices) < 60:
        size = int.from_bytes(await reader.readexactly(4), "big")
        prices.append(await reader.readexactly(size))
        if len(prices) % 6 == 0:
            logger.info("feed {}: {} prices, last {} bytes", name, len(prices), size)
    writer.close()
    logger.info("feed {}: complete", name)
    return prices


async def main():
    names = ["gent", "basel", "lyon", "turin"]
    tasks = {name: asyncio.create_task(collect(name)) for name in names}
    results = await asyncio.gather(*tasks.values(), return_exceptions=True)
    for name, result in zip(names, results):
        if isinstance(result, Exception):
            logger.opt(exception=result).error("feed {}: connection lost", name)
    whole = sum(isinstance(result, list) for result in results)
    logger.info("{} of {} feeds complete", whole, len(names))
    return whole == len(names)


Path("../feed.py").write_text(FEED)
feeds = {name: fault.start(f"feed-{name}", [sys.executable, "../feed.py", name, f"../{name}.sock"]) for name in ["gent", "basel", "lyon", "turin"]}
for name in feeds:
    fault.wait_for("listening", f"feed-{name}.log")
fault.later(4.2, feeds["lyon"].kill)
whole = asyncio.run(main())
for feed in feeds.values():
    feed.terminate()
sys.exit(0 if whole else "index not computed: prices missing")
