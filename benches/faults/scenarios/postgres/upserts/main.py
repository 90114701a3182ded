r"""
fault = "none: three importers write the same birds; unique violations and serialization failures are caught and tried again, as they are meant to."
kind = "healthy-failures"
outcome = "healthy"
on = ["services"]
needs = ["postgresql-15"]
shows = "sightings complete"
limit = 90
program = "PostgreSQL 15, psycopg 3.3"
"""

import psycopg
from fault_services import postgres, python, stop

server = postgres(5440, {"max_wal_size": "32MB", "log_checkpoints": "on", "checkpoint_warning": "60s"})
with psycopg.connect("host=127.0.0.1 port=5440 user=postgres dbname=postgres") as db:
    db.execute("CREATE TABLE species (name text PRIMARY KEY, seen int DEFAULT 0)")
    db.execute("CREATE TABLE sightings (id serial, name text REFERENCES species, at text, note text)")
importers = [python(f"import-{site}", "sightings.py", site) for site in ("bay", "marsh", "dune")]
for importer in importers:
    importer.wait()
with psycopg.connect("host=127.0.0.1 port=5440 user=postgres dbname=postgres") as db:
    print(*db.execute("SELECT count(*) FROM sightings").fetchone(), "sightings complete")
stop(server)
