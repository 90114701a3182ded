"""
fault = "the scheduler is stopped (SIGSTOP): workers and client wait for ever; killed after 22 s"
kind = "lost-peer"
outcome = "hangs"
cause = [{ file = "scheduler.log", text = ".", which = "last" }]
seconds = 22
stop = "KILL"
"""
import time

import fault_dask as fd


def work(n):
    time.sleep(0.5)
    return n


def main(client):
    tasks = client.map(work, range(60))
    time.sleep(3)
    fd.kill("scheduler", "STOP")
    fd.answers(tasks)


if __name__ == "__main__":
    fd.run(main)
