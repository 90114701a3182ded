"""
fault = "a bash app declares mesh7.dat as its output and does not write it"
kind = "missing-input"
outcome = "failed"
cause = [{ file = "**/*", text = "MissingOutputs|[Mm]issing outputs" }]
subject = ["task 7", "file mesh7.dat"]
shows = "8 of 9 results"
"""
import fault
from parsl import bash_app
from parsl.data_provider.files import File


@bash_app
def mesh(n, outputs=()):
    return "true" if n == 7 else f"echo {n} > {outputs[0].filepath}"


with fault.load():
    fault.results([mesh(n, outputs=[File(f"mesh{n}.dat")]) for n in range(9)])
