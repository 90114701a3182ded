"""
fault = "the workflow has a syntax error in line 5"
must = ["[Ss]yntax ?[Ee]rror|[Ii]nvalid|line 5|Unexpected keyword"]
"""
import fault_snakemake as fs

fs.run("""
rule all:
    input: "a.txt"

rule make
    output: "a.txt"
    shell: "touch {output}"
""")
