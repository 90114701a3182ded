"""
fault = "a task allocates more than the memory limit of its worker: the nanny kills the worker, three times"
kind = "resource"
outcome = "failed"
cause = [{ file = "**/*", text = "KilledWorker|memory budget|exceeded .*memory|[Mm]emory (limit|usage)|marked as failed" }]
subject = [{ class = "task", file = "scheduler.log", text = "(allocate-[0-9a-f]+).{0,4} marked as failed" }]
shows = "KilledWorker"
"""
import fault_dask as fd


def allocate(n):
    import time
    held = []
    while n == 1:
        held.append(bytearray(20_000_000))
        time.sleep(0.03)
    return n


def main(client):
    fd.answers(client.map(allocate, range(3)))


if __name__ == "__main__":
    fd.run(main, nanny=True, options=["--memory-limit", "400MB"])
