"""
fault = "the command of rule `plot` succeeds without writing its output"
must = ["plot|figure_b\\.png", "missing|MissingOutput|not (written|found|produced|there)"]
"""
import fault_snakemake as fs

fs.run("""
rule all:
    input: expand("figure_{s}.png", s=list("abc"))

rule plot:
    output: "figure_{s}.png"
    shell: "test {wildcards.s} = b || touch {output}"
""", options=["--latency-wait", "2"])
