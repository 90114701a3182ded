"""
fault = "a task wants a resource (GPU) that no worker has; killed after 12 s"
severity = ["error", "warning"]
must = ["GPU|resource|no.worker|unrunnable|no suitable|train"]
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
