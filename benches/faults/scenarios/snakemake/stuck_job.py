"""
fault = "one job waits for ever, the others end; killed after 10 s"
severity = ["error", "warning"]
must = ["listen|\\b[0-9]\\b", "never|unfinished|still|running|stuck|hang|not end|wait"]
seconds = 12
stop = "KILL"
"""
import fault_snakemake as fs

fs.run("""
rule all:
    input: expand("heard/{s}.txt", s=list("abcd"))

rule listen:
    output: "heard/{s}.txt"
    shell: "if [ {wildcards.s} = c ]; then sleep 1000; fi; touch {output}"
""")
