r"""
fault = "the command of rule `simulate` is killed (SIGKILL), as by the kernel"
kind = "killed"
outcome = "failed"
cause = [{ file = "**/*", text = "Error in rule simulate|SIGKILL|died with|Killed" }]
subject = [
    "rule simulate",
    { class = "job", file = ".snakemake/log/*", text = 'output: simulated/b\.dat\n(?:\s+log: .*\n)?\s+jobid: (\d+)' },
]
"""
import fault_snakemake as fs

fs.run("""
rule all:
    input: expand("simulated/{s}.dat", s=list("abc"))

rule simulate:
    output: "simulated/{s}.dat"
    shell: "echo begun; test {wildcards.s} != b || kill -KILL $$; touch {output}"
""")
