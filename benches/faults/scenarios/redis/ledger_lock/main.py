r"""
fault = "settle-2 takes the lock of ledger eu, finds the batch settled already, and goes on to the next without giving the lock back; it has no expiry."
kind = "lock"
outcome = "hangs"
cause = [
    { file = "settle-2.log", text = "batch 1031", which = "all" },
    { file = "settle-2.log", text = "ledger eu locked", which = "last" },
]
subject = ["worker settle-2", "ledger eu"]
innocent = ["worker settle-1", "worker settle-3"]
on = ["services"]
needs = ["redis-server"]
shows = "batch 1031 was settled by"
stop = "TERM"
seconds = 14
limit = 70
program = "redis 7.0, redis-py 8.1"
"""

import fault
import redis
from fault_services import python, redis as server

server(6391, "--save", "")
db = redis.Redis(port=6391, decode_responses=True)
db.set("settled:1031", "the night run")
db.rpush("batches", *(f"{n}:{'us' if n % 3 == 0 else 'eu' if n < 1032 or n == 1034 else 'uk'}" for n in range(1020, 1044)))
workers = [python(f"settle-{n}", "settle.py", n) for n in (1, 2, 3)]
fault.wait_for("batch 1031 was settled", "settle-2.log", 40)
fault.begun()
for worker in workers:
    worker.wait()
print("all batches settled")
