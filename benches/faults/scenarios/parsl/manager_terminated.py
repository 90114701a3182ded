"""
fault = "the block ends while tasks run, as a batch system ends it at its time limit (SIGTERM to the manager)"
must = ["manager|block", "lost|terminat|SIGTERM|ended|143|-15|killed"]
shows = "0 of 4 results"
"""
import fault
from parsl import python_app


@python_app
def work(n):
    import time
    time.sleep(40 if n < 4 else 0)
    return n


with fault.load():
    fault.results([work(9)])
    tasks = [work(n) for n in range(4)]
    fault.later(1.5, fault.send, "TERM", r"bin/process_worker_pool\.py", slice(1))
    fault.results(tasks)
