"""
fault = "SlurmProvider on a machine without sbatch"
kind = "import"
outcome = "failed"
cause = [{ file = "**/*", text = "sbatch" }]
shows = "."
"""
import fault
from parsl import python_app
from parsl.providers import SlurmProvider


@python_app
def work(n):
    return n


with fault.load(fault.htex(provider=SlurmProvider("debug", init_blocks=1, max_blocks=1))):
    fault.results([work(n) for n in range(4)])
