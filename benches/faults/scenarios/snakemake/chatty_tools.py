r"""
fault = "none: tools write warnings of many kinds (deprecated options, low coverage, non-convergence of a first start value), and all is made"
kind = "healthy-warnings"
outcome = "healthy"
shows = "100%"
"""
import fault_snakemake as fs

fs.run("""
REGIONS = ["north", "south", "east", "west"]

rule all:
    input: "report.txt", expand("fit/{r}.rds", r=REGIONS)

rule prepare:
    output: "clean/{r}.csv"
    log: "logs/prepare_{r}.log"
    shell:
        '''
        (echo "read_table: 3 parsing failures in column 7 (expected double), set to NA"
         echo "DeprecationWarning: option --sep is deprecated, use --delimiter"
         echo "WARNING: station {wildcards.r}-12 has coverage 0.41 < 0.50"
         sleep 0.3; seq 40 > {output}
         echo "40 rows, 0 errors") > {log} 2>&1
        '''

rule fit:
    input: "clean/{r}.csv"
    output: "fit/{r}.rds"
    log: "logs/fit_{r}.log"
    shell:
        '''
        (echo "Warning message:"
         echo "In optim(start, nll): failed to converge from start value 1, trying start value 2"
         sleep 0.4; echo "converged, 31 iterations, deviance 188.2"; cp {input} {output}) > {log} 2>&1
        echo "Warning: package 'mgcv' was built under R version 4.3.1" >&2
        '''

rule report:
    input: expand("fit/{r}.rds", r=REGIONS)
    output: "report.txt"
    shell: "echo 'error bars: 95 % intervals'; wc -l {input} > {output}"
""")
