"""
fault = "the user presses Ctrl-C while jobs run"
kind = "interrupt"
outcome = "failed"
cause = [{ file = "**/*", text = "KeyboardInterrupt|SIGINT|[Ii]nterrupt(ed)? by|[Cc]ancell?ing|Terminating processes" }]
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
