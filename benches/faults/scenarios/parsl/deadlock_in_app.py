r"""
fault = "on one thread, an app waits inside for the result of another app, which gets no thread; killed after 15 s"
kind = "deadlock"
outcome = "hangs"
cause = [{ file = "runinfo/*/parsl.log", text = '\b[Tt]ask [01] ' }]
subject = ["task 0", "task 1"]
seconds = 15
stop = "KILL"
"""
import fault
import parsl
from parsl import python_app
from parsl.config import Config
from parsl.executors.threads import ThreadPoolExecutor


@python_app
def inner(n):
    return n


@python_app
def outer(n):
    return inner(n).result() + 1


with parsl.load(Config(executors=[ThreadPoolExecutor(max_threads=1)])):
    fault.begun()
    print(outer(1).result())
