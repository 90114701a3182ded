"""
fault = "a function is of a module that the client finds and the workers do not"
kind = "import"
outcome = "failed"
cause = [{ file = "**/*", text = "helpers_of_ana" }]
shows = "ModuleNotFoundError|0 of 4|deserializ"
"""
import sys
from pathlib import Path

import fault_dask as fd

Path("../modules").mkdir(exist_ok=True)
Path("../modules/helpers_of_ana.py").write_text("def smooth(n):\n    return n / 2\n")
sys.path.insert(0, "../modules")


def main(client):
    import helpers_of_ana
    fd.answers(client.map(helpers_of_ana.smooth, range(4)))


if __name__ == "__main__":
    fd.run(main)
