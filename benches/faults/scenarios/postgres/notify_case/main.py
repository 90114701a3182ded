r"""
fault = "The shop notifies the channel orderPaid; LISTEN orderPaid without quotes listens on orderpaid, so that nobody hears of payments."
kind = "misspelt"
outcome = "hangs"
cause = [
    { file = "packer.log", text = "channels.*orderpaid" },
    { file = "postgres.log", text = "LISTEN orderPaid" },
    { file = "shop.log", text = "notified orderPaid", which = "first" },
]
subject = ["channel orderpaid", "channel orderPaid"]
on = ["services"]
needs = ["postgresql-15"]
shows = "channels.*orderpaid"
stop = "TERM"
seconds = 14
limit = 70
program = "PostgreSQL 15, psycopg 3.3"
"""

import fault
import psycopg
from fault_services import postgres, python

postgres(5433, {"log_statement": "mod", "log_min_duration_statement": "0", "log_line_prefix": "%t [%p] %a "})
with psycopg.connect("host=127.0.0.1 port=5433 user=postgres dbname=postgres", autocommit=True, application_name="setup") as db:
    db.execute("CREATE TABLE orders (id int PRIMARY KEY, state text, parcels int)")
    db.execute("CREATE TABLE stock (item text PRIMARY KEY, n int)")
    db.execute("INSERT INTO stock VALUES ('lamp', 40), ('desk', 12), ('chair', 30)")
packer = python("packer", "packer.py")
fault.wait_for("channels", "packer.log")
shop = python("shop", "shop.py")
fault.begun()
shop.wait()
