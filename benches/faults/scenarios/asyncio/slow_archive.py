r"""
fault = "The archive writer takes two seconds for each batch; the bounded queue before it is full and the readings of all buoys are held up."
kind = "back-pressure"
outcome = "slow"
cause = [
  { file = "gateway.jsonl", text = '"component": "archive".*"seconds": [12]\.', which = "all" },
  { file = "gateway.jsonl", text = '"queued": 120\b', which = "all" },
]
subject = ["component archive"]
innocent = ["component alarms"]
shows = 'all buoys read'
"""

import asyncio
import random
import time

import structlog

out = open("gateway.jsonl", "w", buffering=1)
structlog.configure(
    processors=[structlog.processors.add_log_level, structlog.processors.TimeStamper(fmt="iso"), structlog.processors.JSONRenderer()],
    logger_factory=structlog.WriteLoggerFactory(out),
)
log = structlog.get_logger()


async def buoy(number, archive, alarms):
    own, chance = log.bind(component="reader", buoy=f"B{number:02}"), random.Random(number)
    for sample in range(1, 31):
        due = time.monotonic()
        reading = {"buoy": number, "wave": round(chance.uniform(0.4, 3.9), 2)}
        if reading["wave"] > 3.7:
            await alarms.put(reading)
        for _ in range(4):
            await archive.put(reading)
        if sample % 5 == 0:
            own.info("sample sent", sample=sample, wave=reading["wave"], took=round(time.monotonic() - due, 3))
        await asyncio.sleep(0.1)


async def write(archive):
    own, batch = log.bind(component="archive"), 0
    while True:
        rows = [await archive.get() for _ in range(120)]
        batch += 1
        begun = time.monotonic()
        await asyncio.sleep(random.uniform(1.6, 2.3))
        own.info("batch stored", batch=batch, rows=len(rows), seconds=round(time.monotonic() - begun, 2))
        for _ in rows:
            archive.task_done()


async def warn(alarms):
    own = log.bind(component="alarms")
    while True:
        reading = await alarms.get()
        await asyncio.sleep(0.01)
        own.info("harbour told", buoy=f"B{reading['buoy']:02}", wave=reading["wave"], seconds=0.01)


async def status(archive, alarms):
    while True:
        log.info("status", component="gateway", queued=archive.qsize(), alarms=alarms.qsize(), uptime=round(time.monotonic() - BEGUN, 1))
        await asyncio.sleep(1)


async def main():
    archive, alarms = asyncio.Queue(maxsize=120), asyncio.Queue(maxsize=120)
    side = [asyncio.create_task(task) for task in (write(archive), warn(alarms), status(archive, alarms))]
    log.info("started", component="gateway", buoys=12, samples=30, period=0.1)
    await asyncio.gather(*(buoy(n, archive, alarms) for n in range(1, 13)))
    await archive.join()
    for task in side:
        task.cancel()
    log.info("all buoys read", component="gateway", seconds=round(time.monotonic() - BEGUN, 1))
    print(f"all buoys read in {time.monotonic() - BEGUN:.1f} s")


BEGUN = time.monotonic()
asyncio.run(main())
