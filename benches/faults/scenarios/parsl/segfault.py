"""
fault = "task 2 reads address 0: its worker gets SIGSEGV"
must = ["worker", "lost|died|SIGSEGV|segmentation|ended|killed", "native|task.{0,8}\\b2\\b"]
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
