"""
fault = "the only worker with scattered data is killed; a task needs the data; killed after 20 s"
severity = ["error", "warning"]
must = ["lost|killed|no longer|gone|removed|cancel", "worker|data|scatter|bigdata"]
seconds = 25
stop = "KILL"
"""
import fault_dask as fd


def length(data):
    return len(data)


def main(client):
    first = sorted(client.scheduler_info()["workers"])[0]
    data = client.scatter(list(range(1000)), workers=[first])
    fd.answers([client.submit(length, data)])
    fd.kill_pid(client.run(fd.pid_of_worker)[first])
    fd.answers([client.submit(len, data)])


if __name__ == "__main__":
    fd.run(main)
