"""
fault = "the submit process is killed (SIGKILL) in the middle of its work"
kind = "killed"
outcome = "failed"
cause = [{ file = "runinfo/*/parsl.log", text = ".", which = "last" }, { file = "workflow.out", text = ".", which = "last" }]
seconds = 6
stop = "KILL"
"""
import fault
from parsl import python_app


@python_app
def work(n):
    import time
    time.sleep(1)
    return n


with fault.load():
    fault.results([work(0), work(1)])
    fault.begun()
    fault.results([work(n) for n in range(16)])
