r"""
fault = "a task ends the process of its worker with os._exit(9), three times: KilledWorker"
kind = "exit-status"
outcome = "failed"
cause = [{ file = "**/*", text = 'KilledWorker|marked as failed because|exited with (status|code)|process \d+ (exited|died)' }]
subject = [{ class = "task", file = "scheduler.log", text = "(leave-[0-9a-f]+).{0,4} marked as failed" }]
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
