"""
fault = "the provider may start no block (max_blocks=0): all tasks wait for ever; killed after 18 s"
kind = "no-consumer"
outcome = "hangs"
cause = [{ file = "runinfo/*/parsl.log", text = "max_blocks=0" }]
seconds = 18
stop = "KILL"
"""
import fault
from parsl import python_app
from parsl.providers import LocalProvider


@python_app
def work(n):
    return n


with fault.load(fault.htex(provider=LocalProvider(init_blocks=0, min_blocks=0, max_blocks=0))):
    fault.begun()
    fault.results([work(n) for n in range(6)])
