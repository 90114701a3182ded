"""
fault = "task 4 waits for a file that never comes, five tasks depend on it; killed after 18 s"
on = ["parsl-2026.10.26", "parsl-2024.6.3"]
severity = ["error", "warning"]
must = ["task.{0,12}\\b4\\b", "never|unfinished|still|running|stuck|hang|not end|wait"]
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
