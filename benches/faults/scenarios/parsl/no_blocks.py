"""
fault = "the provider may start no block (max_blocks=0): all tasks wait for ever; killed after 18 s"
severity = ["error", "warning"]
must = ["worker|block|manager|resource", "no |never|none|without|\\b0\\b|not"]
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
