"""
fault = "the user presses Ctrl-C in the middle of the work"
kind = "interrupt"
outcome = "failed"
cause = [{ file = "**/*", text = "KeyboardInterrupt|SIGINT|[Ii]nterrupt(ed)? by" }]
seconds = 5
stop = "INT"
"""
import time

import fault_dask as fd


def work(n):
    time.sleep(1)
    return n


def main(client):
    fd.answers(client.map(work, range(100)))


if __name__ == "__main__":
    fd.run(main)
