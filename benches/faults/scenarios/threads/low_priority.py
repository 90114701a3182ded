r"""
fault = "The workers always take the most urgent job; urgent jobs come faster than they are done, so the one nightly job is never begun."
kind = "starvation"
outcome = "hangs"
cause = [
  { file = "jobs.log", text = 'job=rebuild-index', which = "all" },
]
subject = ["job rebuild-index"]
shows = 'drain: waiting for 1 named job'
stop = "TERM"
seconds = 18
"""

import itertools
import queue
import random
import signal
import sys
import threading
import time

import fault

jobs, numbers, done = queue.PriorityQueue(), itertools.count(1), {}
out = open("jobs.log", "w", buffering=1)


def say(**fields):
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime()) + f".{int(time.time() * 1000) % 1000:03}Z"
    out.write(f"ts={stamp} level=info " + " ".join(f"{k}={v}" for k, v in fields.items()) + "\n")


def submit(priority, name, seconds):
    jobs.put((priority, next(numbers), name, seconds))
    say(event="queued", job=name, priority=priority, waiting=jobs.qsize())


def worker(name):
    while True:
        priority, number, job, seconds = jobs.get()
        say(event="begun", worker=name, job=job, priority=priority)
        time.sleep(seconds)
        done[job] = time.time()
        say(event="done", worker=name, job=job, seconds=f"{seconds:.2f}")


def requests():
    chance = random.Random(8)
    for n in itertools.count(1):
        kind = chance.choice(["resize", "notify", "invoice", "preview"])
        submit(chance.choice([1, 1, 2]), f"{kind}-{n}", chance.uniform(0.25, 0.5))
        time.sleep(0.17)


def stop(*_):
    say(event="stopping", signal="SIGTERM", waiting=jobs.qsize(), done=len(done))
    out.flush()
    sys.exit(0)


signal.signal(signal.SIGTERM, stop)
for n in range(2):
    threading.Thread(target=worker, args=(f"w{n}",), daemon=True).start()
threading.Thread(target=requests, daemon=True).start()
time.sleep(1.5)
submit(9, "rebuild-index", 1.0)
fault.begun()
while "rebuild-index" not in done:
    time.sleep(3)
    print(time.strftime("%H:%M:%S"), "drain: waiting for 1 named job,", len(done), "jobs done", flush=True)
