"""
fault = "a bash app calls a program that is not there (exit status 127)"
kind = "import"
outcome = "failed"
cause = [{ file = "**/*", text = "lammps_mpi9.*not found|exit code 127" }]
subject = ["app simulate"]
shows = "0 of 3 results"
"""
import fault
from parsl import bash_app


@bash_app
def simulate(n, stdout="simulate.out", stderr="simulate.err"):
    return f"lammps_mpi9 -in run{n}.in"


with fault.load():
    fault.results([simulate(n, stdout=f"sim{n}.out", stderr=f"sim{n}.err") for n in range(3)])
