r"""
fault = "The worker w3 is killed while it has a page at work; the broker drops it, and the book cannot be finished."
kind = "lost-peer"
outcome = "failed"
cause = [
    { file = "broker.log", text = "w3 .*silent" },
    { file = "broker.log", text = "page \\d+ (is )?lost with w3" },
    { file = "w3.log", text = ".", which = "last" },
]
subject = ["worker w3"]
innocent = ["worker w1", "worker w2", "worker w4"]
on = ["services"]
shows = "lost with w3"
limit = 80
program = "pyzmq 27.3"
"""

import sys

import fault
from fault_services import python, stop

broker = python("broker", "broker.py")
workers = [python(f"w{n}", "worker.py", f"w{n}") for n in range(1, 5)]
fault.wait_for("(?s)(began.*?done.*?){4}began", "w3.log", 40)
workers[2].kill()
status = broker.wait()
stop(*workers)
sys.exit(status)
