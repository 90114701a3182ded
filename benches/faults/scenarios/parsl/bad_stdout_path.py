"""
fault = "the stdout of a bash app is to be a file whose folder cannot be made (a file has its name)"
kind = "config"
outcome = "failed"
cause = [{ file = "**/*", text = "BadStdStreamFile|Not a directory|File exists" }]
subject = ["task 1"]
shows = "1 of 2 results"
"""
from pathlib import Path

import fault
from parsl import bash_app


@bash_app
def report(n, stdout=None):
    return f"echo {n}"


Path("results").write_text("a file\n")
with fault.load():
    fault.results([report(1, stdout="one.txt"), report(2, stdout="results/two.txt")])
