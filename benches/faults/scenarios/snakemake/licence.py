r"""
fault = "the job of sample c starts a preview server in the background, which inherits the open file of the licence lock, so that the lock is still held when the job is done; the other samples wait for it; killed after 14 s"
kind = "lock"
outcome = "hangs"
cause = [{ file = "annotate.log", text = "preview of c " }, { file = "annotate.log", text = " c: licence (got|taken)" }]
subject = ["sample c", { class = "pid", file = "annotate.log", text = "preview of c .*pid (\\d+)" }, "file licence.lock"]
innocent = [{ class = "sample", file = "annotate.log", text = "(\\w): licence asked", which = "last" }]
stop = "KILL"
seconds = 14
"""
import fault_snakemake as fs

fs.run("""
SAMPLES = ["a", "b", "c", "d", "e", "f"]

rule all:
    input: expand("calls/{s}.ann", s=SAMPLES)

rule call:
    output: "calls/{s}.vcf"
    shell: "sleep 0.4; for n in $(seq 50); do echo chr1 $RANDOM; done > {output}"

rule annotate:
    input: "calls/{s}.vcf"
    output: "calls/{s}.ann"
    priority: 10
    shell:
        '''
        say() {{ echo "$(date '+%F %T') [annotate $$] $*" >> annotate.log; }}
        exec 9>> ../licence.lock
        say "{wildcards.s}: licence asked for"
        flock 9
        say "{wildcards.s}: licence got, $(wc -l < {input}) variants"
        if [ {wildcards.s} = c ]; then
            nohup sleep 3000 > /dev/null 2>&1 < /dev/null &
            say "preview of {wildcards.s} at http://localhost:8051, pid $!"
        fi
        sleep 0.5
        sort {input} > {output}
        say "{wildcards.s}: annotated"
        '''
""")
