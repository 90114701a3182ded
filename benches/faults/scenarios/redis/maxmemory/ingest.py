import logging
import random
import sys
import time

import redis

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(levelname).1s %(asctime)s %(name)s] %(message)s")
log = logging.getLogger("ingest")
db = redis.Redis(port=6396)


def hour(station, at):
    pipe = db.pipeline(transaction=False)
    for second in range(0, 3600, 4):
        pipe.zadd(f"wind:{station}", {f"{at}:{second}:{random.gauss(7, 2):.3f}": at * 3600 + second})
    pipe.execute()
    log.info("station %s hour %d stored", station, at)


for at in range(24):
    for station in ("K12", "K17", "L04", "M01"):
        hour(station, at)
        time.sleep(0.05)
log.info("day complete")
