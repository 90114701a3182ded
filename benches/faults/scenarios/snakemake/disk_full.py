"""
fault = "rule `sort` writes to a full disk"
must = ["No space left|(disk|device|file ?system) (is )?full", "sort"]
"""
import fault_snakemake as fs

fs.run("""
rule all:
    input: expand("sorted/{s}.txt", s=list("abc"))

rule sort:
    output: "sorted/{s}.txt"
    shell: "if [ {wildcards.s} = c ]; then echo {wildcards.s} > /dev/full; fi; touch {output}"
""")
