r"""
fault = "a task is given a reader that holds a lock of a thread, which cannot be pickled"
kind = "unpicklable"
outcome = "failed"
cause = [{ file = "workflow.err", text = "cannot pickle|Could not serialize|not serializable" }]
subject = []
innocent = []
shows = "cannot pickle"
"""
import sys
import threading

import ray
import rayrun


class Reader:
    def __init__(self, path):
        self.path = path
        self.guard = threading.Lock()

    def block(self, n):
        with self.guard:
            return list(range(n * 100, n * 100 + 100))


@ray.remote
def histogram(values):
    import time
    time.sleep(0.1)
    print(f"{len(values)} values from {values[0]}", flush=True)
    return max(values)


@ray.remote
def scan(reader, n):
    return sum(reader.block(n))


log = None
with rayrun.Session():
    log = rayrun.logger("scan")
    reader = Reader("run-0412.evt")
    peaks = ray.get([histogram.remote(reader.block(n)) for n in range(8)])
    log.info("8 histograms, peak %d", max(peaks))
    log.info("scanning blocks 0-7 of %s", reader.path)
    sums = [scan.remote(reader, n) for n in range(8)]
    log.info("sums %s", ray.get(sums))
