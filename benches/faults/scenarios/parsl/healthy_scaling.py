"""
fault = "none: blocks are started as tasks come, and given back when there is nothing to do"
kind = "healthy"
outcome = "healthy"
shows = "3 of 3"
"""
import time

import fault
from parsl import python_app
from parsl.providers import LocalProvider


@python_app
def work(n):
    import time
    time.sleep(0.5)
    return n


provider = LocalProvider(init_blocks=0, min_blocks=0, max_blocks=2)
with fault.load(fault.htex(provider=provider), max_idletime=3.0, strategy_period=1):
    fault.results([work(n) for n in range(3)])
    time.sleep(6)
    fault.results([work(n) for n in range(3)])
