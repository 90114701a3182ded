"""
fault = "a task allocates more than the memory limit of its worker: the nanny kills the worker, three times"
must = ["memory", "allocate|worker"]
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
