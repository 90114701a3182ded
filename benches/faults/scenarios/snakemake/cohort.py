r"""
fault = "the pattern by which the workflow finds its samples (`{s}_R1.fastq`) does not match one file (`L07_r1.fastq`), so that a cohort of seven libraries is written, not of eight"
kind = "skipped"
outcome = "failed"
cause = [{ file = "workflow.out", text = "L07_r1" }, { file = "**/workflow.*", text = "7 (libraries|samples)|libraries: " }]
subject = ["L07_r1.fastq", "library L07", "sample L07"]
innocent = ["library L06", "library L08"]
shows = "cohort"
"""
import random
import subprocess
import sys
from pathlib import Path

raw = Path("../raw")
raw.mkdir()
for n in range(1, 9):
    name = f"L{n:02}_{'r' if n == 7 else 'R'}1.fastq"
    (raw / name).write_text("@r\nACGT\n+\nIIII\n" * random.randint(300, 500))
Path("../sheet.tsv").write_text("".join(f"L{n:02}\tdonor-{n % 4}\n" for n in range(1, 9)))
Path("Snakefile").write_text('''
LIBRARIES = sorted(glob_wildcards("../raw/{s}_R1.fastq").s)

rule all:
    input: "cohort.tsv"

rule count:
    input: "../raw/{s}_R1.fastq"
    output: "counts/{s}.txt"
    log: "logs/count/{s}.log"
    shell: "sleep 0.3; grep -c ^@ {input} > {output}; echo $(date +%T) {wildcards.s}: $(cat {output}) reads > {log}"

rule cohort:
    input: expand("counts/{s}.txt", s=LIBRARIES)
    output: "cohort.tsv"
    log: "logs/cohort.log"
    shell: "paste {input} > {output}; echo $(date +%T) cohort.tsv: {output} from $(ls counts | tr '\\\\n' ' ') > {log}"

onstart:
    print("libraries:", " ".join(LIBRARIES))
''')
print("raw:", " ".join(f"{p.name} ({p.stat().st_size})" for p in sorted(raw.iterdir())), flush=True)
subprocess.run([sys.executable, "-m", "snakemake", "--cores", "2", "--nocolor"], check=True)
columns = len(Path("cohort.tsv").read_text().split("\n")[0].split("\t"))
libraries = len(Path("../sheet.tsv").read_text().splitlines())
print(f"cohort.tsv: {columns} columns; sheet.tsv: {libraries} lines")
sys.exit(columns != libraries)
