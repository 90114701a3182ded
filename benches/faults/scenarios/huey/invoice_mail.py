r"""
fault = "cron starts a second dispatcher while the first is still at work; both read the same outbox table, and invoices are sent twice"
kind = "two-instances"
outcome = "failed"
cause = [{ file = "dispatch.log", text = "outbox: \\d+ open", which = "last" }, { file = "dispatch.log", text = "outbox: 12 open", which = "first" }]
subject = [{ class = "pid", file = "dispatch.log", text = "dispatch\\[(\\d+)\\]: started", which = "last" }, "table outbox"]
innocent = []
shows = "mails for 12 invoices"
"""
import collections
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import fault

TASKS = '''
import logging
import time

from huey import SqliteHuey

huey = SqliteHuey("invoices", filename="../queue.db")


@huey.task()
def mail(number, to):
    time.sleep(0.15)
    logging.getLogger("huey.mail").info("invoice %s to %s: 250 2.0.0 queued", number, to)
    with open("../sent.txt", "a") as file:
        file.write(number + "\\n")
'''
DISPATCH = '''
import logging
import os
import sqlite3
import time

from tasks import mail

logging.basicConfig(filename="dispatch.log", level=logging.INFO, format="%(asctime)s dispatch[%(process)d]: %(message)s", datefmt="%b %d %H:%M:%S")
logging.getLogger("huey").setLevel(logging.WARNING)
logging.info("started")
books = sqlite3.connect("../books.db", timeout=10)
rows = books.execute("select number, mail from outbox where sent is null order by number").fetchall()
logging.info("outbox: %d open", len(rows))
for number, to in rows:
    time.sleep(0.5)
    mail(number, to)
    logging.info("%s handed over", number)
    books.execute("update outbox set sent = ? where number = ?", (time.time(), number))
    books.commit()
logging.info("done, %d handed over", len(rows))
'''
Path("../tasks.py").write_text(TASKS)
Path("../dispatch.py").write_text(DISPATCH)
with sqlite3.connect("../books.db") as books:
    books.execute("create table outbox (number text primary key, mail text, sent real)")
    for n in range(12):
        books.execute("insert into outbox values (?, ?, null)", (f"R26-{1140 + n}", f"{'abcdefghijkl'[n]}@example.org"))
sys.path.insert(0, "..")
consumer = fault.start("consumer", [sys.executable, "-c", "import sys; sys.path.insert(0, '..'); from huey.bin.huey_consumer import consumer_main; consumer_main()", "tasks.huey", "-w", "2"])
fault.wait_for("Huey consumer started", "consumer.log")
one = subprocess.Popen([sys.executable, "../dispatch.py"])
fault.wait_for("R26-1143 handed", "dispatch.log")
two = subprocess.Popen([sys.executable, "../dispatch.py"])
one.wait()
two.wait()
time.sleep(4)
consumer.terminate()
consumer.wait(20)
sent = collections.Counter(Path("../sent.txt").read_text().split())
print(f"{sum(sent.values())} mails for {len(sent)} invoices")
sys.exit(sum(sent.values()) != len(sent))
