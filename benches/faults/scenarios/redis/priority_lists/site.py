import itertools
import json
import random
import time

import redis
import structlog

structlog.configure(processors=[
    structlog.processors.add_log_level, structlog.processors.TimeStamper(fmt="iso", utc=True), structlog.processors.JSONRenderer(),
])
log = structlog.get_logger(service="site")
db = redis.Redis(port=6392)
push = lambda name, job: db.rpush(f"jobs:{name}", json.dumps({"id": job}))
log.info("opened")
for n in itertools.count(1):
    for _ in range(random.randint(2, 4)):
        push("interactive", f"preview-{n}-{_}")
    if n == 5:
        for export in range(1, 5):
            push("bulk", f"export-{export}")
        log.info("exports queued", list="jobs:bulk", count=4)
    if n % 10 == 0:
        log.info("previews queued", list="jobs:interactive", total=n)
    time.sleep(0.14)
