r"""
fault = "the command of rule `plot` succeeds without writing its output"
kind = "missing-input"
outcome = "failed"
cause = [{ file = "**/*", text = 'MissingOutputException|figure_b\.png \(missing|output files are missing' }]
subject = [
    "rule plot",
    "file figure_b.png",
    { class = "job", file = ".snakemake/log/*", text = 'output: figure_b\.png\n(?:\s+log: .*\n)?\s+jobid: (\d+)' },
]
"""
import fault_snakemake as fs

fs.run("""
rule all:
    input: expand("figure_{s}.png", s=list("abc"))

rule plot:
    output: "figure_{s}.png"
    shell: "test {wildcards.s} = b || touch {output}"
""", options=["--latency-wait", "2"])
