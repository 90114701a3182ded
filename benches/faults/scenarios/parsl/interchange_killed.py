"""
fault = "the interchange is killed while tasks run; the program waits for ever and is killed after 25 s"
on = ["parsl-2026.10.26", "parsl-2024.6.3"]
must = ["interchange", "lost|killed|died|ended|silent|stopped|no (more )?(heartbeat|contact)"]
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
    tasks = [work(n) for n in range(20)]
    fault.later(2, fault.send, "KILL", r"bin/interchange\.py|HTEX.?[Ii]nterchange")
    fault.results(tasks)
