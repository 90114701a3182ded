r"""
fault = "an app opens a file by a relative path that does not exist where its worker runs"
kind = "missing-input"
outcome = "failed"
cause = [{ file = "**/*", text = "No such file or directory: 'input/params\\.csv'" }]
subject = ["app read"]
shows = "0 of 3 results"
"""
import fault
from parsl import python_app


@python_app
def read(n):
    with open("input/params.csv") as file:
        return file.read()


with fault.load():
    fault.results([read(n) for n in range(3)])
