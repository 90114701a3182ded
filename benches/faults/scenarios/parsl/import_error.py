"""
fault = "an app imports a module that is not installed"
kind = "import"
outcome = "failed"
cause = [{ file = "**/*", text = "gridtools9" }]
subject = ["app regrid"]
on = ["parsl-2026.10.26", "parsl-2024.6.3"]
shows = "0 of 6 results"
"""
import fault
from parsl import python_app


@python_app
def regrid(n):
    import gridtools9
    return gridtools9.regrid(n)


with fault.load():
    fault.results([regrid(n) for n in range(6)])
