r"""
fault = "the archive to which messages are sent ends in the middle of the work: its connection is reset, later ones are refused, and the retries are used up"
kind = "lost-peer"
outcome = "failed"
cause = [{ file = "relay.log", text = "BrokenPipe|ConnectionReset|Connection reset|Connection refused|closed by|EOFError" }]
subject = ["peer archive", { class = "port", file = "relay.log", text = "archive at 127.0.0.1:(\\d+)" }]
innocent = []
shows = "frames stored"
"""
import logging
import signal
import socket
import subprocess
import sys
import threading
import time

import dramatiq
from dramatiq.brokers.stub import StubBroker

import fault

ARCHIVE = """
import socketserver, sys, time
class Frames(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            time.sleep(0.1)
            self.wfile.write(b"ok\\n")
            print(time.strftime("%FT%TZ", time.gmtime()), "stored", line.decode().strip(), flush=True)
class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
server = Server(("127.0.0.1", 0), Frames)
print(time.strftime("%FT%TZ", time.gmtime()), "listening at", server.server_address[1], flush=True)
server.serve_forever()
"""
logging.basicConfig(filename="relay.log", level=logging.INFO, format="%(asctime)s [%(threadName)s] %(levelname)s %(name)s: %(message)s")
log = logging.getLogger("relay")
archive = fault.start("archive", [sys.executable, "-c", ARCHIVE])
fault.wait_for("listening", "archive.log")
port = int(open("archive.log").read().split()[-1])
broker = StubBroker(middleware=[dramatiq.middleware.Retries(max_retries=2, min_backoff=400, max_backoff=900)])
dramatiq.set_broker(broker)
here, stored = threading.local(), []


@dramatiq.actor
def store(frame):
    if not hasattr(here, "link"):
        here.link = socket.create_connection(("127.0.0.1", port), 3)
        log.info("connected to archive at 127.0.0.1:%d", port)
    try:
        here.link.sendall(b"frame %d\n" % frame)
        if not here.link.recv(16):
            raise ConnectionResetError(f"archive at 127.0.0.1:{port}: connection closed by peer")
    except OSError:
        del here.link
        raise
    stored.append(frame)
    if frame % 4 == 0:
        log.info("frame %d stored", frame)


worker = dramatiq.Worker(broker, worker_threads=2)
worker.start()
for frame in range(24):
    store.send(frame)
    time.sleep(0.12)
    if frame == 14:
        archive.send_signal(signal.SIGKILL)
time.sleep(6)
worker.stop()
log.info("%d of 24 frames stored", len(set(stored)))
print(f"{len(set(stored))} of 24 frames stored")
sys.exit(len(set(stored)) < 24)
