r"""
fault = "The file of region 07 came as region-07.CSV; the import takes *.csv and says nothing of it, so that the report lacks a region."
kind = "skipped"
outcome = "failed"
cause = [{ file = "receiver.log", text = "region-07.CSV" }]
subject = ["file region-07.CSV", "region 07"]
on = ["services"]
needs = ["postgresql-15"]
shows = "region-07.CSV"
limit = 70
program = "PostgreSQL 15, psycopg 3.3"
"""

import sys
from pathlib import Path

import psycopg
from fault_services import postgres, python, stop

server = postgres(5436, {"log_statement": "mod", "log_duration": "on", "log_line_prefix": "%m [%p] "})
Path("../inbox").mkdir()
with psycopg.connect("host=127.0.0.1 port=5436 user=postgres dbname=postgres") as db:
    db.execute("CREATE TABLE meters (region int, meter int, day date, kwh real)")
for step in ("receiver", "importer"):
    if python(step, f"{step}.py").wait():
        sys.exit(f"{step} failed")
with psycopg.connect("host=127.0.0.1 port=5436 user=postgres dbname=postgres") as db:
    print("consumption of 2026-10 in MWh")
    for region, meters, mwh in db.execute("SELECT region, count(DISTINCT meter), sum(kwh) / 1000 FROM meters GROUP BY region ORDER BY region"):
        print(f"region {region:02}  {meters:5} meters  {mwh:10.1f}")
stop(server)
