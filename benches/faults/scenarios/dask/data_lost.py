r"""
fault = "the only worker with scattered data is killed; a task needs the data; killed after 20 s"
kind = "killed"
outcome = "failed"
cause = [
    { file = "scheduler.log", text = "Remove worker", which = "first" },
    { file = "scheduler.log", text = "lose already|no longer|gather keys", optional = true },
]
subject = [
    { class = "worker", file = "scheduler.log", text = 'Remove worker (?:addr: |.*?)(tcp://[\d.:]+)', which = "first" },
    { class = "worker", file = "scheduler.log", text = 'Remove worker .*name: (\w+)', which = "first" },
]
seconds = 25
stop = "KILL"
"""
import fault_dask as fd


def length(data):
    return len(data)


def main(client):
    first = sorted(client.scheduler_info()["workers"])[0]
    data = client.scatter(list(range(10)), workers=[first])
    fd.answers([client.submit(length, data)])
    fd.kill_pid(client.run(fd.pid_of_worker)[first])
    fd.answers([client.submit(len, data)])


if __name__ == "__main__":
    fd.run(main)
