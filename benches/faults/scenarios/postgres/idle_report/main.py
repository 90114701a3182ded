r"""
fault = "A report opens a transaction, reads the table visits, and then draws for a long time; ALTER TABLE waits for it, and all others wait behind ALTER TABLE."
kind = "lock"
outcome = "hangs"
cause = [
    { file = "postgres.log", text = "report LOG:  statement: SELECT", which = "last" },
    { file = "report.log", text = ".", which = "last" },
    { file = "postgres.log", text = "holding the lock: \\d+\\. Wait queue", which = "first" },
]
subject = ["service report", { class = "pid", file = "postgres.log", text = "\\[(\\d+)\\] report LOG:  statement: SELECT" }]
innocent = ["service migrate", "service web-1", "service web-2"]
on = ["services"]
needs = ["postgresql-15"]
shows = "still waiting for AccessExclusiveLock"
stop = "TERM"
seconds = 9
limit = 70
program = "PostgreSQL 15, psycopg 3.3"
"""

import time

import fault
import psycopg
from fault_services import postgres, python

postgres(5435, {"log_lock_waits": "on", "log_statement": "all", "log_line_prefix": "%m [%p] %a "})
with psycopg.connect("host=127.0.0.1 port=5435 user=postgres dbname=postgres", application_name="setup") as db:
    db.execute("CREATE TABLE visits (page text, at timestamptz DEFAULT now())")
    db.execute("INSERT INTO visits SELECT 'p' || n % 40 FROM generate_series(1, 20000) n")
web = [python(f"web-{n}", "web.py", n) for n in (1, 2)]
time.sleep(2)
report = python("report", "report.py")
time.sleep(2.5)
migrate = python("migrate", "migrate.py")
fault.wait_for("still waiting for AccessExclusiveLock", "postgres.log")
fault.begun()
migrate.wait()
print("release 2.4 is out")
