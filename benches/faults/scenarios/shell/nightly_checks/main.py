r"""
fault = "none: a nightly job that looks for errors in other programs' logs, reports how many it found, and checks its own backups by failing restores"
kind = "healthy-failures"
outcome = "healthy"
subject = []
shows = 'nightly finished, status 0'
program = "bash 5.2"
"""

import random
import subprocess
import sys
from pathlib import Path

Path("../logs").mkdir()
for name in ("api", "auth", "billing", "search"):
    lines = [f"12:{n // 60:02}:{n % 60:02} {random.choice(['GET', 'PUT'])} /{name}/{n} {random.choice([200, 200, 200, 404])}" for n in range(300)]
    Path(f"../logs/{name}.log").write_text("\n".join(lines) + "\n")
sys.exit(subprocess.run(["bash", "../nightly.sh"]).returncode)
