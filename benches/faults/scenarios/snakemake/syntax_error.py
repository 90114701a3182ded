r"""
fault = "the workflow has a syntax error in line 5"
kind = "config"
outcome = "failed"
cause = [{ file = "**/*", text = "SyntaxError|[Ii]nvalid syntax|line 5\\b|[Ee]xpected ':'" }]
"""
import fault_snakemake as fs

fs.run("""
rule all:
    input: "a.txt"

rule make
    output: "a.txt"
    shell: "touch {output}"
""")
