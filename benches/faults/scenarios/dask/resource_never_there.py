"""
fault = "a task wants a resource (GPU) that no worker has; killed after 12 s"
kind = "no-consumer"
outcome = "hangs"
cause = [
    { file = "workflow.out", text = ".", which = "last" },
    { file = "scheduler.log", text = "train-[0-9a-f]+", which = "last", optional = true },
]
seconds = 14
stop = "KILL"
"""
import fault_dask as fd


def train(n):
    return n


def main(client):
    fd.answers(client.map(train, range(3)))
    fd.answers([client.submit(train, 10, resources={"GPU": 1})])


if __name__ == "__main__":
    fd.run(main, debug=True)
