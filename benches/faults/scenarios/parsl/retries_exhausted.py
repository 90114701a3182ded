"""
fault = "with two retries a task fails three times, each time with a connection refused"
kind = "refused"
outcome = "failed"
cause = [{ file = "**/*", text = "Connection ?[Rr]efused" }]
subject = ["task 1"]
shows = "3 of 4 results"
"""
import fault
from parsl import python_app


@python_app
def fetch(n):
    import socket
    if n == 1:
        socket.create_connection(("127.0.0.1", 9)).close()
    return n


with fault.load(retries=2):
    fault.results([fetch(n) for n in range(4)])
