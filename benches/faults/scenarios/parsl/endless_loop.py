r"""
fault = "task 5 never ends, all others do; the program is killed after 15 s"
kind = "livelock"
outcome = "hangs"
cause = [{ file = "runinfo/*/parsl.log", text = '\b[Tt]ask 5 ' }]
subject = ["task 5"]
on = ["parsl-2026.10.26", "parsl-2024.6.3"]
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
