"""
fault = "the manager (process_worker_pool) is killed while its two workers run tasks; no retries"
kind = "killed"
outcome = "failed"
cause = [
    { file = "**/*", text = "ManagerLost|heartbeats missed|[Ll]oss of manager|manager.*lost|Killed" },
    { file = "runinfo/*/htex/block-*/*/manager.log", text = ".", which = "last" },
]
subject = [
    { class = "manager", file = "runinfo/*/htex/interchange.log", text = "heartbeats missed for manager b?'?([0-9a-f]+)" },
    "block 0",
]
innocent = ["task 1", "task 2"]
on = ["parsl-2026.10.26", "parsl-2024.6.3"]
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
