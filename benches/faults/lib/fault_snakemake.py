"""What the scenarios of Snakemake share."""

import subprocess
import sys
from pathlib import Path

import fault


def run(workflow, options=()):
    """Runs a workflow with two cores, as a shell would."""
    Path("Snakefile").write_text(workflow.lstrip("\n"))
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "--nocolor", "--keep-going", *options]
    program = subprocess.Popen(command)
    fault.begun()
    try:
        program.wait()
    except KeyboardInterrupt:
        program.wait()
        sys.exit(130)
    sys.exit(program.returncode)
