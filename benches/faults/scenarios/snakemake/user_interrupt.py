"""
fault = "the user presses Ctrl-C while jobs run"
severity = ["info", "warning"]
must = ["interrupt|Ctrl-C|SIGINT|cancel|terminat"]
seconds = 6
stop = "INT"
"""
import fault_snakemake as fs

fs.run("""
rule all:
    input: expand("slow/{s}.txt", s=list("abcd"))

rule wait:
    output: "slow/{s}.txt"
    shell: "sleep 8; touch {output}"
""")
