r"""
fault = "the database into which tasks write measurements has reached the size that its quota allows: writing fails"
kind = "resource"
outcome = "failed"
cause = [{ file = "consumer.log", text = "database or disk is full" }]
subject = ["file meters.db"]
innocent = []
shows = "database or disk is full"
"""
import sqlite3
import sys
import time
from pathlib import Path

import fault

Path("../tasks.py").write_text('''
import logging
import os
import random
import sqlite3

from huey import SqliteHuey

huey = SqliteHuey("meters", filename="../queue.db")
log = logging.getLogger("huey.meters")


@huey.task()
def store(meter):
    database = sqlite3.connect("../meters.db", timeout=10)
    database.execute("pragma max_page_count = 64")
    with database:
        database.executemany("insert into reading values (?, ?, ?)", [(meter, n, random.random()) for n in range(1500)])
    log.info("meter %s: 1500 readings, meters.db %d KiB", meter, os.path.getsize("../meters.db") // 1024)
    return 1500
''')
with sqlite3.connect("../meters.db") as database:
    database.execute("create table reading (meter text, n integer, kwh real)")
sys.path.insert(0, "..")
consumer = fault.start("consumer", [sys.executable, "-c", "import sys; sys.path.insert(0, '..'); from huey.bin.huey_consumer import consumer_main; consumer_main()", "tasks.huey", "-w", "1"])
fault.wait_for("Huey consumer started", "consumer.log")
from tasks import store

good = 0
for job in [store(f"DE00{n}") for n in range(9)]:
    try:
        good += job.get(blocking=True, timeout=30) > 0
    except Exception as error:
        print(f"{job.id[:8]}: {type(error).__name__}: {error}", file=sys.stderr)
consumer.terminate()
consumer.wait(20)
print(f"{good} of 9 meters stored")
sys.exit(good < 9)
