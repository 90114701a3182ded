r"""
fault = "one of two workers is stopped (SIGSTOP) while it runs tasks: it misses its heartbeats (worker-ttl 5 s)"
kind = "lost-peer"
outcome = "slow"
cause = [{ file = "worker0.log", text = ".", which = "last" }, { file = "**/*", text = "failed to heartbeat" }]
subject = ["worker w0", { class = "worker", file = "worker0.log", text = 'Start worker at: +(tcp://\S+)' }]
innocent = ["worker w1"]
shows = "12 of 12"
"""
import time

import fault_dask as fd


def work(n):
    time.sleep(0.5)
    return n


def main(client):
    fd.answers(client.map(work, range(2)))
    tasks = client.map(work, range(10, 22))
    time.sleep(1)
    fd.kill("worker0", "STOP")
    fd.answers(tasks)


if __name__ == "__main__":
    fd.run(main, settings={"DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "5s"})
