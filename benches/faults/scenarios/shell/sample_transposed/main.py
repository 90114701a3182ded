r"""
fault = "The cohort list names sample S20471, the reads are of S20417; the joint step waits for a file that no sample will write."
kind = "misspelt"
outcome = "hangs"
cause = [
  { file = "joint.log", text = 'S20471', which = "all" },
  { file = "*.log", text = 'S20417', which = "all" },
]
subject = ["sample S20471", "sample S20417"]
shows = 'S20471.*not there yet'
program = "bash 5.2"
stop = "KILL"
seconds = 14
"""

import subprocess
from pathlib import Path

import fault

SAMPLES = ["S20398", "S20402", "S20417", "S20420", "S20433", "S20456", "S20468", "S20480"]
for name in ("reads", "gvcf"):
    Path("..", name).mkdir()
for sample in SAMPLES:
    Path(f"../reads/{sample}_R1.fastq").write_text("@r\nACGT\n+\nIIII\n" * 40)
Path("../cohort.txt").write_text("\n".join(SAMPLES).replace("S20417", "S20471") + "\n")
fault.begun()
subprocess.run(["bash", "../cohort.sh"])
