"""
fault = "another program has the port that the interchange is to listen at"
kind = "resource"
outcome = "failed"
cause = [{ file = "**/*", text = "[Aa]ddress (already )?in use" }]
shows = "in use"
seconds = 25
stop = "KILL"
"""
import socket

import fault
from parsl import python_app


@python_app
def work(n):
    return n


taken = socket.create_server(("127.0.0.1", 0))
fault.begun()
with fault.load(fault.htex(worker_port=taken.getsockname()[1])):
    fault.results([work(n) for n in range(4)])
