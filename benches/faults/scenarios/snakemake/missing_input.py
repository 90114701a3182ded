r"""
fault = "no rule makes the input raw/c.fastq, and it is not there"
kind = "missing-input"
outcome = "failed"
cause = [{ file = "**/*", text = 'raw/c\.fastq|MissingInputException|Missing input files' }]
subject = ["file raw/c.fastq", "rule trim"]
"""
from pathlib import Path

import fault_snakemake as fs

Path("raw").mkdir()
for sample in "ab":
    Path(f"raw/{sample}.fastq").write_text("@x\n")
fs.run("""
rule all:
    input: expand("trimmed/{s}.txt", s=list("abc"))

rule trim:
    input: "raw/{s}.fastq"
    output: "trimmed/{s}.txt"
    shell: "cp {input} {output}"
""")
