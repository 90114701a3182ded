"""
fault = "a task ends the process of its worker with os._exit(9), three times: KilledWorker"
must = ["KilledWorker|leave|worker", "died|killed|lost|KilledWorker|exit"]
shows = "KilledWorker"
"""
import fault_dask as fd


def leave(n):
    import os
    if n == 1:
        os._exit(9)
    return n


def main(client):
    fd.answers(client.map(leave, range(4)))


if __name__ == "__main__":
    fd.run(main, nanny=True)
