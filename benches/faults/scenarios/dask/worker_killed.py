"""
fault = "one of two workers (without nanny) is killed while it runs tasks; its tasks run again elsewhere"
on = ["dask-2026.8.0", "dask-2022.12.1"]
severity = ["error", "warning"]
must = ["worker", "lost|killed|died|closed|removed|left|disconnected"]
shows = "8 of 8"
"""
import time

import fault_dask as fd


def work(n):
    time.sleep(1)
    return n


def main(client):
    tasks = client.map(work, range(8))
    time.sleep(1.5)
    fd.kill("worker0")
    fd.answers(tasks)


if __name__ == "__main__":
    fd.run(main)
