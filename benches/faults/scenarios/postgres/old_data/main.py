r"""
fault = "The restored data directory was written by PostgreSQL 14, and the server is of version 15."
kind = "version"
outcome = "failed"
cause = [
    { file = "postgres.log", text = "database files are incompatible with server" },
    { file = "postgres.log", text = "initialized by PostgreSQL version 14" },
]
subject = []
innocent = ["service library"]
on = ["services"]
needs = ["postgresql-15"]
shows = "database files are incompatible"
limit = 70
program = "PostgreSQL 15, psycopg 3.3"
"""

import sys
import time

import fault
from fault_services import postgres, python, stop

say = lambda text: print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} recover: {text}")
first = postgres(5439, log="../initial")
stop(first)
data = fault.HOME / "pgdata"
for path in [data / "PG_VERSION", *data.glob("base/*/PG_VERSION")]:
    path.write_text("14\n")
files = [p for p in data.rglob("*") if p.is_file()]
say("latest backup: library-2026-11-22.tar")
for folder in ("base", "global", "pg_wal", "pg_xact"):
    say(f"unpacked {folder}, {sum(p.is_relative_to(data / folder) for p in files)} files")
    time.sleep(0.3)
say(f"{len(files)} files, {sum(p.stat().st_size for p in files) // 1_000_000} MB restored")
server = postgres(5439, ready=False)
say("database starting")
status = python("library", "library.py").wait()
stop(server)
sys.exit(status)
