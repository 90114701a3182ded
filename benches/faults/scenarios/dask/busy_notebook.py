r"""
fault = "none: large graphs, tasks that hold the interpreter, unmanaged memory and deprecated calls bring about warnings, and everything is computed"
kind = "healthy-warnings"
outcome = "healthy"
on = ["dask-2026.8.0", "dask-2022.12.1"]
shows = "mean 0\\.\\d+ of 40 chunks"
"""
import fault
import grid
import numpy
from distributed import Client


def load(n):
    import logging
    import warnings
    import numpy
    log = logging.getLogger("chunks")
    if n % 9 == 4:
        warnings.warn("read_chunk(mmap=) is deprecated and will be removed in 3.0", FutureWarning)
        log.warning("chunk %d: attribute units is missing, taken as K", n)
    log.info("chunk %d loaded", n)
    return numpy.random.default_rng(n).random(400_000)


def smooth(a):
    import numpy
    text = str([x for x in range(1_500_000)])
    return numpy.convolve(a, numpy.ones(5) / 5, "same") + 0 * len(text)


def reduce(parts, table):
    return float(sum(p.mean() for p in parts) / len(parts))


cluster = grid.Cluster("chunks", workers=2, options=["--memory-limit", "700MB"], nanny=True)
with Client(cluster.address) as client:
    client.wait_for_workers(2, timeout=60)
    table = numpy.zeros(2_000_000)
    chunks = [client.submit(smooth, client.submit(load, n)) for n in range(40)]
    print(f"mean {client.submit(reduce, chunks, table).result():.3f} of 40 chunks")
cluster.end()
