"""
fault = "the command of rule `call` ends with exit status 3 for sample b only"
must = ["\\bcall\\b"]
"""
import fault_snakemake as fs

fs.run("""
rule all:
    input: expand("called/{s}.vcf", s=list("abcd"))

rule call:
    output: "called/{s}.vcf"
    shell: "test {wildcards.s} != b || exit 3; echo {wildcards.s} > {output}"
""")
