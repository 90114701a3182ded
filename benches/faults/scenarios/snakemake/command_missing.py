"""
fault = "the command of rule `align` is not installed (exit status 127); three samples need it"
must = ["align", "bwa_mem9|127|not found"]
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
