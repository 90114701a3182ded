"""
fault = "one of two managers is killed while it runs tasks; the other goes on; no retries"
kind = "killed"
outcome = "failed"
cause = [{ file = "**/*", text = "ManagerLost|heartbeats missed|[Ll]oss of manager|manager.*lost|Killed" }]
subject = [{ class = "manager", file = "runinfo/*/htex/interchange.log", text = "heartbeats missed for manager b?'?([0-9a-f]+)" }]
shows = "ManagerLost"
"""
import fault
from parsl import python_app


@python_app
def work(n):
    import time
    time.sleep(3)
    return n


with fault.load(fault.htex(blocks=2, workers=1)):
    fault.results([work(n) for n in range(2)])
    tasks = [work(n) for n in range(4)]
    fault.later(1.5, fault.send, "KILL", r"bin/process_worker_pool\.py", slice(1))
    fault.results(tasks)
