"""
fault = "the submit process is killed (SIGKILL) in the middle of its work"
severity = ["error", "warning"]
must = ["killed|ended without|did not end|never ended|not finish|unfinished|stops|cut|no longer|gone|disappeared"]
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
    fault.results([work(n) for n in range(60)])
