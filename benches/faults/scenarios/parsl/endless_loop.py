"""
fault = "task 5 never ends, all others do; the program is killed after 15 s"
on = ["parsl-2026.10.26", "parsl-2024.6.3"]
severity = ["error", "warning"]
must = ["(task|parsl.task).{0,12}\\b5\\b", "never|unfinished|still|running|stuck|not end|hang"]
seconds = 15
stop = "KILL"
"""
import fault
from parsl import python_app


@python_app
def converge(n):
    while n == 5:
        pass
    return n


with fault.load():
    tasks = [converge(n) for n in range(10)]
    fault.results(tasks[:5])
    fault.begun()
    fault.results(tasks[5:])
