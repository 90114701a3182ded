"""
fault = "an app opens a file by a relative path that does not exist where its worker runs"
must = ["input/params\\.csv", "\\bread\\b|task"]
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
