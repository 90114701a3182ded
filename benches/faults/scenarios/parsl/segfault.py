r"""
fault = "task 2 reads address 0: its worker gets SIGSEGV"
kind = "killed"
outcome = "failed"
cause = [{ file = "**/*", text = 'WorkerLost|[Ww]orker \d+ has died|[Ll]oss of worker|worker.*(lost|died)|SIGSEGV|[Ss]egmentation fault' }]
subject = ["task 2"]
shows = "5 of 6 results"
"""
import fault
from parsl import python_app


@python_app
def native(n):
    import ctypes
    if n == 2:
        ctypes.string_at(0)
    return n


with fault.load():
    fault.results([native(n) for n in range(6)])
