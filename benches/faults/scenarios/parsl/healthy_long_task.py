"""
fault = "none: one task takes much longer than the others (12 s), while the program waits"
kind = "healthy"
outcome = "healthy"
shows = "6 of 6"
"""
import fault
from parsl import python_app


@python_app
def work(n):
    import time
    time.sleep(12 if n == 3 else 0.2)
    return n


with fault.load():
    fault.results([work(n) for n in range(6)])
