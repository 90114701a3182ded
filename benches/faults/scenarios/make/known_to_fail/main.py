r"""
fault = "none: a test target with tests that are known to fail, and commands whose failure the Makefile ignores"
kind = "healthy-failures"
outcome = "healthy"
subject = []
shows = 'unexpected failures: 0'
program = "GNU make 4.3"
"""

import subprocess
import sys
from pathlib import Path

Path("../Makefile").write_text(Path("../tests.mk").read_text())
with open("test.log", "w") as log:
    sys.exit(subprocess.run(["make", "-j2", "-C", "..", "clean", "test"], stdout=log, stderr=subprocess.STDOUT).returncode)
