r"""
fault = "the program of a bash app writes why it ends into its stderr file (missing input) and exits with 1"
kind = "missing-input"
outcome = "failed"
cause = [{ file = "**/*", text = 'topology\.top: No such|exit code 1$' }]
subject = ["task 2"]
shows = "3 of 4 results"
"""
import fault
from parsl import bash_app


@bash_app
def prepare(n, stderr=None):
    return "cat topology.top > all.top" if n == 2 else "true"


with fault.load():
    fault.results([prepare(n, stderr=f"prepare{n}.err") for n in range(4)])
