r"""
fault = "none: the workers are asked to stop while tasks are at work; these end, the others stay in the queue for tomorrow."
kind = "healthy-stop"
outcome = "healthy"
on = ["services"]
needs = ["redis-server"]
shows = "Warm shutdown"
limit = 80
program = "celery 5.7.0, redis 7.0"
"""

import sys
import time

import fault
import redis as client
from fault_services import redis, stop

sys.path.insert(0, "..")
from scan import page

server = redis(6404)
workers = [fault.start(f"scan{n}", [
    sys.executable, "-m", "celery", "--workdir", "..", "-A", "scan", "worker", "-n", f"scan{n}@%h", "-c", "2", "-l", "INFO",
    "--prefetch-multiplier", "1",
]) for n in (1, 2)]
for n in (1, 2):
    fault.wait_for("ready", f"scan{n}.log", 40)
for number in range(1, 61):
    page.delay(number)
print(f"{time.strftime('%H:%M')} 60 pages queued")
time.sleep(7)
print(f"{time.strftime('%H:%M')} end of opening hours, stopping the scanners")
stop(*workers)
print(f"{time.strftime('%H:%M')} {client.Redis(port=6404).llen('celery')} pages stay queued for tomorrow")
stop(server)
