import logging
import threading
import time

from flask import Flask, request
from psycopg_pool import ConnectionPool

logging.basicConfig(level=logging.INFO, format="[%(asctime)s] [app] [%(levelname)s] %(message)s", datefmt="%Y-%m-%d %H:%M:%S %z")
log = logging.getLogger("seats")
pool = ConnectionPool("host=127.0.0.1 port=5437 user=postgres dbname=postgres", min_size=6, max_size=6, timeout=60, open=True)
pool.wait()
app = Flask(__name__)


def stats():
    while True:
        now = pool.get_stats()
        log.info("pool size=%d free=%d waiting=%d", now["pool_size"], now["pool_available"], now["requests_waiting"])
        time.sleep(2)


threading.Thread(target=stats, daemon=True).start()


@app.get("/seats")
def seats():
    db = pool.getconn()
    free = db.execute("SELECT count(*) FROM seats WHERE guest IS NULL").fetchone()[0]
    db.rollback()
    pool.putconn(db)
    return f"{free}\n"


@app.get("/hold")
def hold():
    seat, guest = request.args["seat"], request.args["guest"]
    db = pool.getconn()
    row = db.execute("SELECT guest FROM seats WHERE seat = %s FOR UPDATE", (seat,)).fetchone()
    if row[0]:
        db.rollback()
        log.info("seat %s for %s: already taken", seat, guest)
        return "taken\n"
    db.execute("UPDATE seats SET guest = %s WHERE seat = %s", (guest, seat))
    db.commit()
    pool.putconn(db)
    log.info("seat %s for %s: held", seat, guest)
    return "held\n"
