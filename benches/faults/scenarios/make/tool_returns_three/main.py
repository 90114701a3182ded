r"""
fault = "The tool that packs the tiles of zoom 7 ends with status 3, without a message; the other zooms are packed (make -k)."
kind = "exit-status"
outcome = "failed"
cause = [
  { file = "make.log", text = 'Error 3', which = "all" },
]
subject = ["target out/z7.pack", "zoom 7"]
innocent = ["target out/index.json"]
shows = 'Error 3'
program = "GNU make 4.3"
"""

import subprocess
import sys
from pathlib import Path

Path("../Makefile").write_text(Path("../tiles.mk").read_text())
with open("make.log", "w") as log:
    sys.exit(subprocess.run(["make", "-k", "-j3", "-C", ".."], stdout=log, stderr=subprocess.STDOUT).returncode)
