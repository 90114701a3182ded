import logging
import sys
import time

import redis

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(levelname).1s %(asctime)s %(name)s] %(message)s")
log = logging.getLogger("dashboard")
db = redis.Redis(port=6396, decode_responses=True)
while True:
    for key in sorted(db.scan_iter("wind:*")):
        last = db.zrange(key, -1, -1)
        log.info("%s %s m/s", key, last[0].rpartition(":")[2] if last else "-")
    time.sleep(0.5)
