r"""
fault = "The loader takes every file that appears in the folder; it takes meter-0615.csv while the export still writes it, and loads a third of its rows."
kind = "partial-write"
outcome = "failed"
cause = [
  { file = "*.log", text = 'meter-0615\.csv', which = "all" },
]
subject = ["file meter-0615.csv"]
shows = 'close of month held'
program = "bash 5.2"
"""

import subprocess
import sys
from pathlib import Path

Path("../drop").mkdir()
Path("../loaded").mkdir()
sys.exit(subprocess.run(["bash", "../exchange.sh"]).returncode)
