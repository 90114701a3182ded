"""What scenarios of Ray share: a session on this machine, the program's logger, and copies of the logs of its processes."""

import logging
import os
import shutil
import tempfile
import threading
from pathlib import Path

os.environ["RAY_local_fs_capacity_threshold"] = "1.0"

import ray

KEPT = ("worker-*.out", "worker-*.err", "raylet.out", "raylet.err", "gcs_server.out", "monitor.log", "python-core-worker-*.log")


def copy(session, stop):
    while True:
        Path("ray").mkdir(exist_ok=True)
        for pattern in KEPT[:5]:
            for path in Path(session).glob(pattern):
                shutil.copyfile(path, Path("ray") / path.name)
        if stop.wait(1):
            return


class Session:
    def __init__(self, cpus=2):
        self.cpus = cpus

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="ray")
        ray.init(num_cpus=self.cpus, include_dashboard=False, _temp_dir=self.folder, object_store_memory=100_000_000)
        self.stop = threading.Event()
        self.copier = threading.Thread(target=copy, args=(Path(self.folder) / "session_latest/logs", self.stop), daemon=True)
        self.copier.start()

    def __exit__(self, *error):
        ray.shutdown()
        self.stop.set()
        self.copier.join()
        shutil.rmtree(self.folder, ignore_errors=True)
        return False


def logger(name, form="%(asctime)s %(levelname)s %(name)s: %(message)s"):
    log = logging.getLogger(name)
    handler = logging.FileHandler(f"{name}.log")
    handler.setFormatter(logging.Formatter(form))
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False
    return log
