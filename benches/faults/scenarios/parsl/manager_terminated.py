"""
fault = "the block ends while tasks run, as a batch system ends it at its time limit (SIGTERM to the manager)"
kind = "killed"
outcome = "failed"
cause = [
    { file = "**/*", text = "ManagerLost|heartbeats missed|[Ll]oss of manager|manager.*lost|SIGTERM|[Ss]ignal 15|Terminated|exit(ed)? (with )?(code|status) 143" },
]
subject = [{ class = "manager", file = "runinfo/*/htex/interchange.log", text = "Registered manager b?'?([0-9a-f]{12})" }, "block 0"]
innocent = ["task 1", "task 2", "task 3", "task 4"]
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
