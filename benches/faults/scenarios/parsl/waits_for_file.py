r"""
fault = "task 4 waits for a file that never comes, five tasks depend on it; killed after 18 s"
kind = "no-producer"
outcome = "hangs"
cause = [{ file = "runinfo/*/parsl.log", text = '\b[Tt]ask 4 ' }]
subject = ["task 4"]
innocent = ["task 5", "task 6", "task 7", "task 8", "task 9"]
on = ["parsl-2026.10.26", "parsl-2024.6.3"]
seconds = 18
stop = "KILL"
"""
import fault
from parsl import python_app


@python_app
def stage(n):
    import os, time
    while n == 4 and not os.path.exists("ready.flag"):
        time.sleep(0.5)
    return n


@python_app
def analyse(a, n):
    return n


with fault.load():
    stages = [stage(n) for n in range(5)]
    fault.results(stages[:4])
    fault.begun()
    fault.results([analyse(stages[4], n) for n in range(5)])
