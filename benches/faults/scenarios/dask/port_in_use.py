"""
fault = "another program has the port of the scheduler"
kind = "resource"
outcome = "failed"
cause = [{ file = "**/*", text = "[Aa]ddress already in use" }]
seconds = 25
stop = "KILL"
"""
import socket

import fault_dask as fd


def main(client):
    fd.answers(client.map(str, range(3)))


if __name__ == "__main__":
    taken = socket.create_server(("127.0.0.1", 0))
    fd.run(main, port=taken.getsockname()[1])
