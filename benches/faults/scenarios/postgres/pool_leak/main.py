r"""
fault = "The handler of /hold returns for a taken seat without giving its connection back; after six taken seats the pool is empty, and every request waits."
kind = "leak"
outcome = "hangs"
cause = [
    { file = "app.log", text = "already taken" },
    { file = "app.log", text = "pool .*free=0", which = "first" },
]
subject = ["path /hold"]
innocent = ["path /seats"]
on = ["services"]
needs = ["postgresql-15"]
shows = "free=0"
stop = "TERM"
seconds = 16
limit = 90
program = "gunicorn 27.0, flask 3.1, PostgreSQL 15, psycopg 3.3"
"""

import random
import sys
import threading
import time
import urllib.request

import fault
import psycopg
from fault_services import postgres, reachable

server = postgres(5437)
with psycopg.connect("host=127.0.0.1 port=5437 user=postgres dbname=postgres") as db:
    db.execute("CREATE TABLE seats (seat text PRIMARY KEY, guest text)")
    db.execute("INSERT INTO seats SELECT r || s FROM generate_series(1, 20) r, unnest('{A,B,C,D,E,F}'::text[]) s")
app = fault.start("app", [
    sys.executable, "-m", "gunicorn", "--chdir", "..", "--workers", "1", "--threads", "8", "--bind", "127.0.0.1:8137",
    "--access-logfile", "-", "seats:app",
])
reachable(8137)


def guest(name):
    rolls = random.Random(name)
    for _ in range(30):
        for path in ("/seats", f"/hold?seat={rolls.randint(1, 20)}{rolls.choice('ABCDEF')}&guest={name}"):
            with urllib.request.urlopen("http://127.0.0.1:8137" + path) as answer:
                answer.read()
            time.sleep(rolls.uniform(0.2, 0.5))


guests = [threading.Thread(target=guest, args=(name,), daemon=True) for name in ("ida", "jon", "kay", "lea")]
for thread in guests:
    thread.start()
fault.wait_for("free=0", "app.log", 60)
fault.begun()
for thread in guests:
    thread.join()
