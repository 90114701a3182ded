"""
fault = "the program is to go on from a checkpoint that does not exist"
kind = "missing-input"
outcome = "failed"
cause = [{ file = "**/*", text = "runinfo/041|[Cc]heckpoint.*(missing|[Nn]ot|[Nn]o such)" }]
shows = "heckpoint"
"""
import fault
from parsl import python_app
from parsl.dataflow.memoization import BasicMemoizer


@python_app(cache=True)
def work(n):
    return n


with fault.load(memoizer=BasicMemoizer(checkpoint_files=["runinfo/041/checkpoint"])):
    fault.results([work(n) for n in range(3)])
