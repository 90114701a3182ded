r"""
fault = "the Python code of rule `fit` raises KeyError: 'temperature'"
kind = "exception"
outcome = "failed"
cause = [{ file = "**/*", text = "KeyError.*temperature|Error in rule fit" }]
subject = ["rule fit", { class = "job", file = ".snakemake/log/*", text = 'output: model\.txt\n(?:\s+log: .*\n)?\s+jobid: (\d+)' }]
"""
import fault_snakemake as fs

fs.run("""
rule all:
    input: "model.txt"

rule data:
    output: "data.txt"
    shell: "echo 1 > {output}"

rule fit:
    input: "data.txt"
    output: "model.txt"
    run:
        table = dict(pressure=1)
        open(output[0], "w").write(str(table["temperature"]))
""")
