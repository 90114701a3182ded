r"""
fault = "rule `sort` writes to a full disk"
kind = "resource"
outcome = "failed"
cause = [{ file = "**/*", text = "No space left|Error in rule sort" }]
subject = ["rule sort", { class = "job", file = ".snakemake/log/*", text = 'output: sorted/c\.txt\n(?:\s+log: .*\n)?\s+jobid: (\d+)' }]
"""
import fault_snakemake as fs

fs.run("""
rule all:
    input: expand("sorted/{s}.txt", s=list("abc"))

rule sort:
    output: "sorted/{s}.txt"
    shell: "if [ {wildcards.s} = c ]; then echo {wildcards.s} > /dev/full; fi; touch {output}"
""")
