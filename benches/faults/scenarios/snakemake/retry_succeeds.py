r"""
fault = "none that lasts: a job fails once and succeeds at its second attempt, as configured"
kind = "healthy-retries"
outcome = "healthy"
shows = 'steps \(100%\) done'
"""
import fault_snakemake as fs

fs.run("""
rule all:
    input: expand("fetched/{s}.txt", s=list("abc"))

rule fetch:
    output: "fetched/{s}.txt"
    retries: 2
    shell: "test {wildcards.s} != b || test -e ../tried || {{ touch ../tried; exit 1; }}; touch {output}"
""")
