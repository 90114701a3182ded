r"""
fault = "one of two workers (without nanny) is killed while it runs tasks; its tasks run again elsewhere"
kind = "killed"
outcome = "slow"
cause = [
    { file = "worker0.log", text = ".", which = "last" },
    { file = "scheduler.log", text = 'Remove worker|Connection to tcp://\S+ has been closed', which = "first" },
    { file = "scheduler.log", text = "caused the cluster to lose|[Ll]ost|died", optional = true },
]
subject = ["worker w0", { class = "worker", file = "worker0.log", text = 'Start worker at: +(tcp://\S+)' }]
innocent = ["worker w1"]
on = ["dask-2026.8.0", "dask-2022.12.1"]
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
