r"""
fault = "A second instance of the same dunning run is started while the first still works on the same table; reminders go out twice."
kind = "two-instances"
outcome = "failed"
cause = [
  { file = "dunning.log", text = 'run started', which = "all" },
]
subject = [{ class = "pid", file = "dunning.log", text = '\[(\d+)\].*run started' }]
shows = 'letter shop: ([5-9][0-9]) letters'
"""

import sqlite3
import subprocess
import sys
import time
from pathlib import Path

DUNNING = '''
import logging, random, sqlite3, time
logging.basicConfig(filename="dunning.log", level=logging.INFO, format="%(asctime)s dunning[%(process)d] %(levelname)s %(message)s")
log = logging.getLogger()
table = sqlite3.connect("../ledger.db", timeout=10, isolation_level=None)
log.info("run started, cutoff 2024-05-31, level 1")
open_items = table.execute("select id, customer, amount from items where reminded = 0 order by id").fetchall()
log.info("%d open items", len(open_items))
for number, customer, amount in open_items:
    if table.execute("select reminded from items where id = ?", (number,)).fetchone()[0]:
        continue
    time.sleep(random.uniform(0.1, 0.2))
    log.info("reminder for item %d to customer %s, %.2f EUR", number, customer, amount)
    table.execute("update items set reminded = 1 where id = ?", (number,))
    table.execute("insert into letters values (?)", (number,))
log.info("run finished")
'''


def main():
    table = sqlite3.connect("../ledger.db", isolation_level=None)
    table.execute("create table items (id integer, customer text, amount real, reminded integer)")
    table.execute("create table letters (item integer)")
    table.executemany("insert into items values (?, ?, ?, 0)", [(7000 + n, f"C{n * 37 % 991:04}", 20 + n * 13 % 480) for n in range(48)])
    Path("../dunning.py").write_text(DUNNING)
    command = [sys.executable, "../dunning.py"]
    first = subprocess.Popen(command)
    time.sleep(1.5)
    second = subprocess.Popen(command)
    first.wait()
    second.wait()
    letters = table.execute("select count(*) from letters").fetchone()[0]
    print(time.strftime("%Y-%m-%d %H:%M:%S"), f"letter shop: {letters} letters for 48 items, batch held back", flush=True)
    return 1 if letters != 48 else 0


sys.exit(main())
