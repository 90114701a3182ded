r"""
fault = "the workflow asks for Snakemake 10.2 or newer; the version installed is older"
kind = "version"
outcome = "failed"
cause = [{ file = "workflow.err", text = "10\\.2|or higher" }]
subject = []
innocent = []
shows = "10\\.2"
"""
import subprocess
import sys
from pathlib import Path

Path("rules").mkdir()
Path("rules/qc.smk").write_text('rule qc:\n    output: "qc/{s}.txt"\n    shell: "sleep 0.2; echo pass > {output}"\n')
Path("rules/settings.smk").write_text('from snakemake.utils import min_version\n\nmin_version("10.2")\n')
common = [sys.executable, "-m", "snakemake", "--cores", "2", "--nocolor"]
Path("qc.smk").write_text('rule all:\n    input: expand("qc/{s}.txt", s=["p1", "p2", "p3"])\n\ninclude: "rules/qc.smk"\n')
Path("Snakefile").write_text('include: "rules/settings.smk"\ninclude: "rules/qc.smk"\n\nrule all:\n    input: expand("panel/{s}.vcf", s=["p1", "p2", "p3"])\n')
print("part 1: quality control", flush=True)
subprocess.run([*common, "-s", "qc.smk"], check=True)
print("part 2: panel", flush=True)
sys.exit(subprocess.run(common).returncode)
