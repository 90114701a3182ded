r"""
fault = "The clock of host n2 is 95 seconds slow; the monitor takes its heartbeats for old, and gives its jobs to others."
kind = "clock"
outcome = "slow"
cause = [
    { file = "monitor.log", text = "n2 last seen 9\\d s ago" },
    { file = "n2.log", text = "up", which = "first" },
]
subject = ["host n2"]
innocent = ["host n1", "host n3"]
on = ["services"]
needs = ["redis-server", "faketime"]
shows = "n2 last seen"
limit = 100
program = "redis 7.0, redis-py 8.1"
"""

import sys

import fault
import redis
from fault_services import python, redis as server, stop

broker = server(6395)
db = redis.Redis(port=6395, decode_responses=True)
db.rpush("queued", *(f"swath-{n:02}" for n in range(1, 31)))
monitor = python("monitor", "monitor.py")
hosts = [
    python("n1", "host.py", "n1"),
    fault.start("n2", ["faketime", "-f", "-95s", sys.executable, "../host.py", "n2"]),
    python("n3", "host.py", "n3"),
]
monitor.wait()
for host in hosts:
    host.wait()
stop(broker)
