import collections
import json
import random
import sys
import time

import redis
import structlog

structlog.configure(processors=[
    structlog.processors.add_log_level, structlog.processors.TimeStamper(fmt="iso", utc=True), structlog.processors.JSONRenderer(),
])
log = structlog.get_logger(worker=int(sys.argv[1]))
db = redis.Redis(port=6392, decode_responses=True)
lists = ["jobs:interactive", "jobs:bulk"]
log.info("polling", lists=lists)
served, told = collections.Counter(), time.time()
while True:
    name, job = db.blpop(lists)
    job = json.loads(job)
    took = 2.0 if name == "jobs:bulk" else random.uniform(0.12, 0.2)
    time.sleep(took)
    served[name.removeprefix("jobs:")] += 1
    if name == "jobs:bulk":
        db.sadd("exports:done", job["id"])
    log.info("served", job=job["id"], ms=round(1000 * took))
    if time.time() > told + 3:
        log.info("minute", interactive=served["interactive"], bulk=served["bulk"])
        served, told = collections.Counter(), time.time()
