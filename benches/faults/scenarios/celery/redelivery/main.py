r"""
fault = "The broker gives a message out again after 5 s without acknowledgement, and reminders wait 24 s in the worker: each is sent several times."
kind = "timeout"
outcome = "failed"
cause = [
    { file = "workflow.out", text = "visibility timeout 5 s" },
    { file = "workflow.out", text = "in 24 s" },
    { file = "worker-*.log", text = "redelivered=True" },
]
subject = ["task remind.send"]
innocent = ["task remind.ping"]
on = ["services"]
needs = ["redis-server"]
shows = "redelivered=True"
limit = 110
program = "celery 5.7.0, redis 7.0"
"""

import sys
import time

import fault
from fault_services import redis, stop

sys.path.insert(0, "..")
from remind import app, ping, send

say = lambda text: print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} planner {text}")
server = redis(6403)
say(f"broker {app.conf.broker_url}, visibility timeout {app.conf.broker_transport_options['visibility_timeout']} s")
workers = [fault.start(f"worker-{n}", [
    sys.executable, "-m", "celery", "--workdir", "..", "-A", "remind", "worker", "-n", f"w{n}@%h", "-c", "2", "-l", "INFO", "--without-mingle",
]) for n in (1, 2)]
for n in (1, 2):
    fault.wait_for("ready", f"worker-{n}.log", 40)
for n in range(1, 4):
    send.apply_async((n,), countdown=24)
    say(f"reminder {n} in 24 s")
for n in range(18):
    ping.delay(n)
    time.sleep(2)
time.sleep(3)
say(f"mails by reminder: {', '.join(f'{n}: {send.count(n)}' for n in range(1, 4))}")
stop(*workers, server)
