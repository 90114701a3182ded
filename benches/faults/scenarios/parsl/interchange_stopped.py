"""
fault = "the interchange is stopped (SIGSTOP); nothing goes on, and the program is killed after 25 s"
kind = "lost-peer"
outcome = "hangs"
cause = [
    { file = "runinfo/*/htex/interchange.log", text = ".", which = "last" },
    { file = "**/*", text = "[Mm]issing contact with interchange", optional = true },
]
seconds = 25
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
    tasks = [work(n) for n in range(8)]
    fault.later(2, fault.send, "STOP", r"bin/interchange\.py|HTEX.?[Ii]nterchange")
    fault.results(tasks)
