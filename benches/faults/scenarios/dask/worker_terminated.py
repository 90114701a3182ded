"""
fault = "all workers get SIGTERM while tasks run, as at the end of a batch job; tasks wait for ever; killed after 20 s"
severity = ["error", "warning"]
must = ["worker", "SIGTERM|signal 15|terminat|closed|lost|no worker|removed|stopp"]
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
