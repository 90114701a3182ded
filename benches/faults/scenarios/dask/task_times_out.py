"""
fault = "a task calls a service that does not answer: TimeoutError after 2 s"
kind = "lost-peer"
outcome = "failed"
cause = [{ file = "**/*", text = "timed out" }]
subject = [{ class = "task", file = "worker*.log", text = "Key: +(ask-[0-9a-f]+)" }]
shows = "3 of 4"
"""
import fault_dask as fd


def ask(n):
    import socket
    if n == 1:
        with socket.create_server(("127.0.0.1", 0)) as server:
            socket.create_connection(server.getsockname(), timeout=2).recv(1)
    return n


def main(client):
    fd.answers(client.map(ask, range(4)))


if __name__ == "__main__":
    fd.run(main)
