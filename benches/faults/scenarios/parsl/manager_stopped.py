"""
fault = "the manager is stopped (SIGSTOP), as on a node that swaps: the interchange gives it up for missed heartbeats"
kind = "lost-peer"
outcome = "failed"
cause = [
    { file = "**/*", text = "ManagerLost|heartbeats missed|[Ll]oss of manager|manager.*lost" },
    { file = "runinfo/*/htex/block-*/*/manager.log", text = ".", which = "last" },
]
subject = [
    { class = "manager", file = "runinfo/*/htex/interchange.log", text = "heartbeats missed for manager b?'?([0-9a-f]+)" },
    "block 0",
]
innocent = ["task 1", "task 2"]
shows = "ManagerLost"
seconds = 35
stop = "KILL"
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
    fault.later(1.5, fault.send, "STOP", r"bin/process_worker_pool\.py", slice(1))
    fault.results(tasks)
