r"""
fault = "The password of the role billing was changed in the database, but not in the settings of the service billing."
kind = "refused"
outcome = "failed"
cause = [
    { file = "billing.log", text = "password authentication failed for user" },
    { file = "postgres.log", text = "password authentication failed for user" },
]
subject = ["role billing", "service billing"]
innocent = ["service catalog"]
on = ["services"]
needs = ["postgresql-15"]
shows = "password authentication failed"
limit = 70
program = "PostgreSQL 15, psycopg 3.3"
"""

import sys
import time

import psycopg
from fault_services import postgres, python, stop

server = postgres(5438, auth="scram-sha-256")
admin = "host=127.0.0.1 port=5438 user=postgres password=postgres dbname=postgres"
with psycopg.connect(admin, autocommit=True) as db:
    db.execute("CREATE ROLE billing LOGIN PASSWORD 'autumn'")
    db.execute("CREATE ROLE catalog LOGIN PASSWORD 'lexicon'")
    db.execute("CREATE TABLE books (id int, title text, price numeric)")
    db.execute("INSERT INTO books SELECT n, 'book ' || n, 10 + n % 20 FROM generate_series(1, 200) n")
    db.execute("GRANT ALL ON books TO billing, catalog")
    catalog, billing = python("catalog", "service.py", "catalog", "lexicon"), python("billing", "service.py", "billing", "autumn")
    time.sleep(4)
    db.execute("ALTER ROLE billing PASSWORD 'winter'")
status = billing.wait()
time.sleep(1)
stop(catalog, server)
sys.exit(status)
