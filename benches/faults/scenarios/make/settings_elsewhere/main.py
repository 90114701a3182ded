r"""
fault = "The build includes settings.mk, which make finds in a shared folder given with -I instead of the board's own folder; the image is made for another board."
kind = "wrong-config"
outcome = "failed"
cause = [
  { file = "image.log", text = 'settings.mk', which = "all" },
  { file = "image.log", text = 'board: ', which = "all" },
]
subject = []
shows = 'flash: image is for'
program = "GNU make 4.3"
"""

import subprocess
import sys
from pathlib import Path

home = Path("..")
for folder in ("shared", "boards/kestrel", "sources"):
    (home / folder).mkdir(parents=True)
(home / "Makefile").write_text((home / "image.mk").read_text())
(home / "shared/settings.mk").write_text("board := heron\nflags := -mcpu=m0 -Os\nflash_kb := 128\n")
(home / "boards/kestrel/settings.mk").write_text("board := kestrel\nflags := -mcpu=m4 -O2 -mfpu\nflash_kb := 512\n")
for name in "boot clock uart spi i2c adc dma timer pwm radio mesh main".split():
    (home / f"sources/{name}.c").write_text(f"int {name};\n")
with open("image.log", "w") as log:
    command = ["make", "--trace", "-j2", "-C", "..", "-I", "shared", "flash", "BOARD_DIR=boards/kestrel", "PORT=/dev/ttyACM0"]
    sys.exit(subprocess.run(command, stdout=log, stderr=subprocess.STDOUT).returncode)
