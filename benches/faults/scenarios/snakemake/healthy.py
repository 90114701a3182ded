"""
fault = "none: six samples are trimmed, counted and put together"
kind = "healthy"
outcome = "healthy"
shows = "14 of 14 steps"
"""
import fault_snakemake as fs

fs.run("""
rule all:
    input: "table.txt"

rule trim:
    output: "trimmed/{s}.txt"
    shell: "echo {wildcards.s} > {output}"

rule count:
    input: "trimmed/{s}.txt"
    output: "counts/{s}.txt"
    shell: "wc -c < {input} > {output}"

rule table:
    input: expand("counts/{s}.txt", s=list("abcdef"))
    output: "table.txt"
    shell: "cat {input} > {output}"
""")
