"""
fault = "a task kills every worker that runs it: KilledWorker after three deaths, nannies start them again"
on = ["dask-2026.8.0", "dask-2022.12.1"]
must = ["KilledWorker|poison|crash_here", "worker", "died|killed|lost|KilledWorker"]
shows = "KilledWorker"
"""
import fault_dask as fd


def crash_here(n):
    import os, signal
    if n == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return n


def main(client):
    fd.answers(client.map(crash_here, range(5)))


if __name__ == "__main__":
    fd.run(main, nanny=True)
