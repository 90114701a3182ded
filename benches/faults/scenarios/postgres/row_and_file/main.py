r"""
fault = "The invoicer holds the row of the counter and asks for the spool; the exporter holds the spool and asks for the row. Half of the cycle is outside of the database."
kind = "deadlock"
outcome = "hangs"
cause = [
    { file = "invoicer.log", text = ".", which = "last" },
    { file = "exporter.log", text = ".", which = "last" },
    { file = "postgres.log", text = "exporter.*still waiting for ShareLock" },
]
subject = ["service invoicer", "service exporter"]
innocent = ["service mailer"]
on = ["services"]
needs = ["postgresql-15"]
shows = "still waiting for ShareLock"
stop = "TERM"
seconds = 4
limit = 90
program = "PostgreSQL 15, psycopg 3.3"
"""

import fault
import psycopg
from fault_services import postgres, python

postgres(5434, {"log_lock_waits": "on", "log_line_prefix": "%m [%p] %a "})
with psycopg.connect("host=127.0.0.1 port=5434 user=postgres dbname=postgres", application_name="setup") as db:
    db.execute("CREATE TABLE counter (name text PRIMARY KEY, n int); INSERT INTO counter VALUES ('invoice', 7000), ('letter', 300)")
    db.execute("CREATE TABLE letters (id serial, sent timestamptz)")
programs = [python(name, "office.py", name) for name in ("mailer", "invoicer", "exporter")]
fault.wait_for("still waiting for ShareLock", "postgres.log", 60)
fault.begun()
for program in programs:
    program.wait()
