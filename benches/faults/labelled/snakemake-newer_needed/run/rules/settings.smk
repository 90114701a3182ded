from snakemake.utils import min_version

min_version("10.2")
