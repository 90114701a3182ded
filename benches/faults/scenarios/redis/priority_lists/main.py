r"""
fault = "The workers always look at the interactive list first, which never runs empty; exports on the bulk list are never taken."
kind = "starvation"
outcome = "hangs"
cause = [
    { file = "worker-*.log", text = '"event": "polling"' },
    { file = "worker-*.log", text = '"bulk": 0, "event": "minute"' },
]
subject = ["list jobs:bulk"]
innocent = ["worker 1", "worker 2"]
on = ["services"]
needs = ["redis-server"]
shows = "exports queued"
stop = "TERM"
seconds = 16
limit = 70
program = "redis 7.0, redis-py 8.1"
"""

import time

import fault
import redis
from fault_services import python, redis as server

server(6392)
workers = [python(f"worker-{n}", "worker.py", n) for n in (1, 2)]
site = python("site", "site.py")
fault.wait_for("exports queued", "site.log")
fault.begun()
db = redis.Redis(port=6392, decode_responses=True)
waiting = {f"export-{n}" for n in range(1, 5)}
print("waiting for", *sorted(waiting))
while waiting:
    waiting -= db.smembers("exports:done")
    time.sleep(0.5)
print("exports done")
