r"""
fault = "a task kills every worker that runs it: KilledWorker after three deaths, nannies start them again"
kind = "killed"
outcome = "failed"
cause = [
    { file = "**/*", text = 'KilledWorker|marked as failed because|[Ww]orkers? (process )?(\S+ )?(was |were )?(died|killed)|killed by signal 9' },
]
subject = [{ class = "task", file = "scheduler.log", text = "(crash_here-[0-9a-f]+).{0,4} marked as failed" }]
on = ["dask-2026.8.0", "dask-2022.12.1"]
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
