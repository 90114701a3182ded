rule all:
    input: expand("qc/{s}.txt", s=["p1", "p2", "p3"])

include: "rules/qc.smk"
