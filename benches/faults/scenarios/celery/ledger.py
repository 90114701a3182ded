r"""
fault = "the first attempt of an import loses its connection to the rates service after it has inserted two of four rows, and logs that at INFO; its two retries fail at the rows that are already there, and the last error speaks of a unique constraint"
kind = "retries"
outcome = "failed"
cause = [{ file = "ledger.log", text = "batch 2612 .*try 1.*after 2 of 4" }, { file = "worker.log", text = "ledger.load.*retry: .*ConnectionResetError" }]
subject = ["batch 2612", { class = "task", file = "ledger.log", text = "batch 2612 task (\\S+) try 1" }]
innocent = ["batch 2611", "batch 2613"]
shows = "UNIQUE constraint"
"""
import logging
import sys

import fault
import queueing

queueing.application("ledger", '''
import sqlite3

log = logging.getLogger("ledger.import")
log.addHandler(logging.FileHandler("run/ledger.log"))
log.handlers[0].setFormatter(logging.Formatter("%(asctime)s %(process)d %(message)s"))
log.setLevel(logging.INFO)
log.propagate = False


def rates(batch, row, attempt):
    time.sleep(0.15)
    if (batch, row, attempt) == (2612, 2, 1):
        raise ConnectionResetError(104, "Connection reset by peer")
    return 1.08


@app.task(bind=True, max_retries=2, default_retry_delay=1)
def load(self, batch):
    attempt, done = self.request.retries + 1, 0
    log.info("batch %d task %s try %d", batch, self.request.id, attempt)
    try:
        for row in range(4):
            rate = rates(batch, row, attempt)
            with sqlite3.connect("ledger.db", timeout=10) as books:
                books.execute("insert into entry values (?, ?)", (f"{batch}-{row}", 100 * rate))
            done += 1
    except Exception as error:
        log.info("batch %d task %s try %d: left after %d of 4 rows (%s)", batch, self.request.id, attempt, done, type(error).__name__)
        raise self.retry(exc=error)
    log.info("batch %d 4 rows", batch)
    return done
''')
import sqlite3

with sqlite3.connect("../ledger.db") as books:
    books.execute("create table entry (id text primary key, amount real)")
worker = queueing.worker("ledger", options=["--concurrency", "2"])
client = queueing.Client("ledger")
loads = {batch: client.send("load", batch) for batch in range(2605, 2617)}
failed = 0
for batch, result in loads.items():
    try:
        print(f"batch {batch}: {result.get(timeout=60)} rows")
    except Exception as error:
        failed += 1
        print(f"batch {batch}: {type(error).__name__}: {error}", file=sys.stderr)
queueing.end(worker)
sys.exit(bool(failed))
