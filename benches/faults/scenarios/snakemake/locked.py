"""
fault = "another instance was killed and left its lock on the directory"
kind = "lock"
outcome = "failed"
cause = [{ file = "**/*", text = "LockException|cannot be locked" }]
"""
from pathlib import Path

import fault_snakemake as fs

for kind in ("input", "output"):
    lock = Path(f".snakemake/locks/0.{kind}.lock")
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.write_text("a.txt\n")
fs.run("""
rule all:
    input: "a.txt"

rule make:
    output: "a.txt"
    shell: "touch {output}"
""")
