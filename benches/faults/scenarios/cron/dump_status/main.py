r"""
fault = "The nightly job dumps the table ledger_2025 of finance, which is gone; pg_dump ends with status 1."
kind = "exit-status"
outcome = "failed"
cause = [
    { file = "nightly.log", text = "no matching tables were found" },
    { file = "nightly.log", text = "dump of finance ended with status 1" },
]
subject = ["dump finance", "database finance"]
innocent = ["database library", "database wiki"]
on = ["services"]
needs = ["postgresql-15"]
shows = "ended with status 1"
limit = 60
program = "pg_dump 15"
"""

import os
import subprocess
import sys

import psycopg
from fault_services import POSTGRES, postgres, stop

server = postgres(5441)
address = "host=127.0.0.1 port=5441 user=postgres"
with psycopg.connect(f"{address} dbname=postgres", autocommit=True) as db:
    for name in ("library", "finance", "wiki"):
        db.execute(f"CREATE DATABASE {name}")
for name, table in (("library", "loans"), ("finance", "ledger"), ("wiki", "pages")):
    with psycopg.connect(f"{address} dbname={name}") as db:
        db.execute(f"CREATE TABLE {table} AS SELECT n, md5(n::text) AS body FROM generate_series(1, 5000) n")
with open("nightly.log", "w") as log:
    status = subprocess.run(
        ["bash", "../nightly.sh"], stdout=log, stderr=subprocess.STDOUT, env=os.environ | {"PATH": f"{POSTGRES}:{os.environ['PATH']}"},
    ).returncode
stop(server)
sys.exit(status)
