r"""
fault = "the command of rule `call` ends with exit status 3 for sample b only"
kind = "exit-status"
outcome = "failed"
cause = [{ file = "**/*", text = "Error in rule call|exit status 3|exit code 3" }]
subject = ["rule call", { class = "job", file = ".snakemake/log/*", text = 'output: called/b\.vcf\n(?:\s+log: .*\n)?\s+jobid: (\d+)' }]
"""
import fault_snakemake as fs

fs.run("""
rule all:
    input: expand("called/{s}.vcf", s=list("abcd"))

rule call:
    output: "called/{s}.vcf"
    shell: "test {wildcards.s} != b || exit 3; echo {wildcards.s} > {output}"
""")
