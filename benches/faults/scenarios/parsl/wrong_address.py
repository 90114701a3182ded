r"""
fault = "the executor gives workers an address at which nothing answers (192.0.2.1)"
kind = "config"
outcome = "failed"
cause = [{ file = "**/*", text = '192\.0\.2\.1|[Vv]iable' }]
subject = ["executor htex", "block 0"]
shows = "0 of 4 results"
"""
import fault
from parsl import python_app


@python_app
def work(n):
    return n


with fault.load(fault.htex(address="192.0.2.1", address_probe_timeout=2)):
    fault.results([work(n) for n in range(4)])
