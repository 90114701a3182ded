r"""
fault = "Reports are routed to the queue reports, and the only workers take from the queues default and thumbs."
kind = "no-consumer"
outcome = "hangs"
cause = [
    { file = "site.log", text = "queue reports" },
    { file = "worker-*.log", text = "exchange=(default|thumbs)" },
]
subject = ["queue reports"]
innocent = ["worker w1", "worker w2"]
on = ["services"]
needs = ["redis-server"]
shows = "queue reports"
stop = "TERM"
seconds = 16
limit = 80
program = "celery 5.7.0, redis 7.0"
"""

import sys

import fault
from fault_services import python, redis

redis(6401)
for n, queues in ((1, "default,thumbs"), (2, "thumbs,default")):
    fault.start(f"worker-{n}", [
        sys.executable, "-m", "celery", "--workdir", "..", "-A", "shopwork", "worker", "-n", f"w{n}@%h", "-Q", queues, "-c", "2", "-l", "INFO",
    ])
for n in (1, 2):
    fault.wait_for("ready", f"worker-{n}.log", 40)
site = python("site", "site_.py")
fault.wait_for("queue reports", "site.log")
fault.begun()
site.wait()
