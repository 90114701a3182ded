"""
fault = "task 1 sleeps for ever on the only worker; ten tasks wait for the slot; killed after 18 s"
severity = ["error", "warning"]
must = ["task.{0,12}\\b1\\b", "never|unfinished|still|running|stuck|hang|not end"]
seconds = 18
stop = "KILL"
"""
import fault
from parsl import python_app


@python_app
def listen(n):
    import time
    time.sleep(3600 if n == 0 else 0)
    return n


with fault.load(fault.htex(workers=1)):
    fault.results([listen(5)])
    tasks = [listen(n) for n in range(11)]
    fault.begun()
    fault.results(tasks)
