r"""
fault = "a worker is killed once (SIGKILL); its nanny starts it again, and everything ends well"
kind = "killed"
outcome = "slow"
cause = [
    { file = "**/*", text = "Restarting worker|caused the cluster to lose" },
    { file = "**/*", text = 'was killed by signal 9\n(?:.*\n)?.*Restarting worker' },
]
subject = [
    { class = "pid", file = "worker*.log", text = 'process (\d+) was killed by signal 9\n(?:.*\n)?.*Restarting worker' },
    { class = "worker_pid", file = "worker*.log", text = 'process (\d+) was killed by signal 9\n(?:.*\n)?.*Restarting worker' },
    { class = "worker", file = "scheduler.log", text = 'Remove worker (?:addr: |.*?)(tcp://[\d.:]+)', which = "first" },
    { class = "worker", file = "scheduler.log", text = 'Remove worker .*name: (\w+)', which = "first" },
]
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
    fd.kill_pid(client.run(fd.pid_of_worker).popitem()[1])
    fd.answers(tasks)


if __name__ == "__main__":
    fd.run(main, nanny=True)
