"""
fault = "the user presses Ctrl-C in the middle of the work"
kind = "interrupt"
outcome = "failed"
cause = [{ file = "**/*", text = "KeyboardInterrupt|SIGINT|[Ii]nterrupt(ed)? by" }]
on = ["parsl-2026.10.26", "parsl-2024.6.3"]
seconds = 5
stop = "INT"
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
