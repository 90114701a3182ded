r"""
fault = "the scheduler is killed while tasks run; the client waits; killed after 20 s"
kind = "killed"
outcome = "failed"
cause = [
    { file = "scheduler.log", text = ".", which = "last" },
    { file = "**/*", text = 'scheduler-connection-broken|CommClosedError|Connection to tcp://\S+ has been closed|[Cc]onnection ?[Rr]efused|[Ll]ost connection' },
]
on = ["dask-2026.8.0", "dask-2022.12.1"]
seconds = 20
stop = "KILL"
"""
import time

import fault_dask as fd


def work(n):
    time.sleep(1)
    return n


def main(client):
    tasks = client.map(work, range(30))
    time.sleep(4)
    fd.kill("scheduler")
    fd.answers(tasks)


if __name__ == "__main__":
    fd.run(main)
