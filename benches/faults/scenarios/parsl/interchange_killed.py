"""
fault = "the interchange is killed while tasks run; the program waits for ever and is killed after 25 s"
kind = "killed"
outcome = "hangs"
cause = [
    { file = "runinfo/*/htex/interchange.log", text = ".", which = "last" },
    { file = "**/*", text = "[Mm]issing contact with interchange|[Ii]nterchange.*(exit|died|killed|lost|gone)" },
]
on = ["parsl-2026.10.26", "parsl-2024.6.3"]
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
    fault.later(2, fault.send, "KILL", r"bin/interchange\.py|HTEX.?[Ii]nterchange")
    fault.results(tasks)
