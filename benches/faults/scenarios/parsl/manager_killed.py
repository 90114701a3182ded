"""
fault = "the manager (process_worker_pool) is killed while its two workers run tasks; no retries"
on = ["parsl-2026.10.26", "parsl-2024.6.3"]
must = ["manager|worker pool|process_worker_pool|block", "137|SIGKILL|lost|killed|died|silent|no (more )?(heartbeat|contact)|missed"]
shows = "0 of 6 results"
"""
import fault
from parsl import python_app


@python_app
def work(n):
    import time
    time.sleep(30 if n < 2 else 0)
    return n


with fault.load():
    fault.results([work(5)])
    tasks = [work(n) for n in range(6)]
    fault.later(1.5, fault.send, "KILL", r"bin/process_worker_pool\.py", slice(1))
    fault.results(tasks)
