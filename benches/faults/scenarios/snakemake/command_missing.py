"""
fault = "the command of rule `align` is not installed (exit status 127); three samples need it"
kind = "import"
outcome = "failed"
cause = [{ file = "**/*", text = "bwa_mem9.*not found|Error in rule align|exit status 127" }]
subject = ["rule align"]
"""
import fault_snakemake as fs

fs.run("""
rule all:
    input: expand("aligned/{s}.bam", s=list("abc"))

rule trim:
    output: "trimmed/{s}.txt"
    shell: "echo {wildcards.s} > {output}"

rule align:
    input: "trimmed/{s}.txt"
    output: "aligned/{s}.bam"
    log: "logs/align_{s}.log"
    shell: "bwa_mem9 {input} > {output} 2> {log}"
""")
