"""
fault = "an app is a function of a module that the submit process finds and the workers do not"
kind = "import"
outcome = "failed"
cause = [{ file = "**/*", text = "No module named .?helpers_of_ana" }]
subject = ["app smooth"]
shows = "0 of 6 results"
"""
import sys
from pathlib import Path

import fault
from parsl import python_app

Path("../modules").mkdir()
Path("../modules/helpers_of_ana.py").write_text("def smooth(n):\n    return n / 2\n")
sys.path.insert(0, "../modules")
import helpers_of_ana

smooth = python_app(helpers_of_ana.smooth)

with fault.load():
    fault.results([smooth(n) for n in range(6)])
