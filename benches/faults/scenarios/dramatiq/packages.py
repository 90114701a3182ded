r"""
fault = "geo needs tiff and tiff (with a new option) needs geo: a build whose needs are not there is put back into the queue, so that both go round for ever; killed after 16 s"
kind = "livelock"
outcome = "hangs"
cause = [{ file = "build.log", text = "\"?(geo|tiff)\"?.*(put back|needs)" }]
subject = ["package geo", "package tiff"]
innocent = ["package gdal"]
stop = "KILL"
seconds = 16
"""
import sys
import time
from pathlib import Path

import dramatiq
import structlog
from dramatiq.brokers.stub import StubBroker

import fault

structlog.configure(
    processors=[structlog.processors.TimeStamper(fmt="iso"), structlog.processors.add_log_level, structlog.processors.JSONRenderer()],
    logger_factory=structlog.WriteLoggerFactory(file=open("build.log", "a", buffering=1)),
)
log = structlog.get_logger()
broker = StubBroker()
dramatiq.set_broker(broker)
NEEDS = {"zlib": [], "png": ["zlib"], "jpeg": [], "tiff": ["zlib", "jpeg", "geo"], "proj": [], "geo": ["proj", "tiff"], "curl": ["zlib"], "gdal": ["geo", "png", "curl"], "pixman": [], "cairo": ["png", "pixman"]}
STORE = Path("../store")
STORE.mkdir()


@dramatiq.actor
def build(package):
    missing = [need for need in NEEDS[package] if not (STORE / need).exists()]
    if missing:
        log.info("put back", package=package, needs=missing)
        build.send_with_options(args=(package,), delay=900)
        return
    log.info("configure", package=package)
    time.sleep(0.4)
    (STORE / package).touch()
    log.info("installed", package=package, files=len(package) * 7)


worker = dramatiq.Worker(broker, worker_threads=2)
worker.start()
for package in NEEDS:
    build.send(package)
fault.begun()
there = 0
while there < len(NEEDS):
    time.sleep(3)
    there = len(list(STORE.iterdir()))
    log.info("state", installed=there, of=len(NEEDS), queued=broker.queues["default"].qsize() + broker.queues["default.DQ"].qsize())
