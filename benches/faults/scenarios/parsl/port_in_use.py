"""
fault = "another program has the port that the interchange is to listen at"
must = ["[Aa]ddress (already )?in use|port.{0,40}(in use|taken)"]
seconds = 25
stop = "KILL"
shows = "in use"
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
