r"""
fault = "The readings of 2024-07 were never put into the archive; the yearly table needs them, sort finds no file and the script ends."
kind = "missing-input"
outcome = "failed"
cause = [
  { file = "yearly.log", text = '2024-07.*No such file', which = "all" },
]
subject = ["2024-07.tsv", "month 2024-07"]
shows = 'No such file'
program = "bash 5.2"
"""

import random
import subprocess
import sys
from pathlib import Path

for station in ("harbour", "hill"):
    folder = Path("../archive", station)
    folder.mkdir(parents=True)
    for month in range(1, 13):
        if (station, month) != ("hill", 7):
            rows = [f"{day:02}\t{random.gauss(12, 6):.1f}\t{random.randint(0, 360)}" for day in range(1, 31)]
            (folder / f"2024-{month:02}.tsv").write_text("\n".join(rows) + "\n")
with open("yearly.log", "w") as log:
    sys.exit(subprocess.run(["bash", "../yearly.sh", "2024"], stdout=log, stderr=log).returncode)
