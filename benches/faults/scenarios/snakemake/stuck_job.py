r"""
fault = "one job waits for ever, the others end; killed after 10 s"
kind = "no-producer"
outcome = "hangs"
cause = [{ file = "**/*", text = 'output: heard/c\.txt' }]
subject = ["rule listen", { class = "job", file = ".snakemake/log/*", text = 'output: heard/c\.txt\n(?:\s+log: .*\n)?\s+jobid: (\d+)' }]
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
