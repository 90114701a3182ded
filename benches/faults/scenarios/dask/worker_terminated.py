r"""
fault = "all workers get SIGTERM while tasks run, as at the end of a batch job; tasks wait for ever; killed after 20 s"
kind = "killed"
outcome = "hangs"
cause = [{ file = "**/*", text = "SIGTERM|signal.15|Lost all workers" }]
subject = [
    "worker w0",
    { class = "worker", file = "worker0.log", text = 'Start worker at: +(tcp://\S+)' },
    "worker w1",
    { class = "worker", file = "worker1.log", text = 'Start worker at: +(tcp://\S+)' },
]
seconds = 20
stop = "KILL"
"""
import time

import fault_dask as fd


def work(n):
    time.sleep(1)
    return n


def main(client):
    tasks = client.map(work, range(40))
    time.sleep(4)
    fd.kill("worker0", "TERM")
    fd.kill("worker1", "TERM")
    fd.answers(tasks)


if __name__ == "__main__":
    fd.run(main)
