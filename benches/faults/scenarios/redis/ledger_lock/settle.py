import random
import sys
import time

import redis
from loguru import logger

me = f"settle-{sys.argv[1]}"
logger.remove()
logger.add(sys.stdout, format="{time:YYYY-MM-DD HH:mm:ss.SSS} | {level: <7} | " + me + " | {message}")
db = redis.Redis(port=6391, decode_responses=True)


def lock(ledger):
    began = time.time()
    while not db.set(f"lock:ledger:{ledger}", me, nx=True):
        if time.time() > began + 2:
            logger.info("waiting for ledger {}", ledger)
            began = time.time()
        time.sleep(0.05)
    logger.info("ledger {} locked", ledger)


logger.info("ready, list batches on 127.0.0.1:6391")
while True:
    batch = db.lindex("batches", 0)
    if batch and batch.startswith("1031:") and me != "settle-2":
        time.sleep(0.02)
        continue
    batch = db.lpop("batches")
    if batch is None:
        logger.info("no batch left")
        break
    number, ledger = batch.split(":")
    lock(ledger)
    if by := db.get(f"settled:{number}"):
        logger.info("batch {} was settled by {}, nothing to do", number, by)
        continue
    payments = random.randint(40, 90)
    for n in range(3):
        time.sleep(random.uniform(0.05, 0.12))
    db.incrby(f"balance:{ledger}", payments * 12)
    db.set(f"settled:{number}", me)
    logger.info("batch {}: {} payments booked on {}", number, payments, ledger)
    db.delete(f"lock:ledger:{ledger}")
    logger.info("ledger {} unlocked", ledger)
