"""
fault = "the command of rule `simulate` is killed (SIGKILL), as by the kernel"
must = ["simulate", "."]
"""
import fault_snakemake as fs

fs.run("""
rule all:
    input: expand("simulated/{s}.dat", s=list("abc"))

rule simulate:
    output: "simulated/{s}.dat"
    shell: "echo begun; test {wildcards.s} != b || kill -KILL $$; touch {output}"
""")
