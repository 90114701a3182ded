"""What the scenarios of Ray share: a session on this machine, whose logs are copied beside the program's output."""

import contextlib
import os
import shutil
import sys
import tempfile
import threading
from pathlib import Path

# How full the disk of this machine is, is no part of a scenario.
os.environ["RAY_local_fs_capacity_threshold"] = "1.0"

import ray


def copy(session, stop):
    """Copies the logs every second: they may be read after the program was killed."""
    while True:
        shutil.copytree(session, "logs", dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.sock", "events"))
        if stop.wait(1):
            return


@contextlib.contextmanager
def session():
    # The paths of Ray's sockets may have 107 bytes.
    folder = tempfile.mkdtemp(prefix="ray")
    ray.init(num_cpus=2, include_dashboard=False, _temp_dir=folder, object_store_memory=100_000_000)
    stop = threading.Event()
    copier = threading.Thread(target=copy, args=(Path(folder) / "session_latest/logs", stop), daemon=True)
    copier.start()
    try:
        yield
    finally:
        ray.shutdown()
        stop.set()
        copier.join()
        shutil.rmtree(folder, ignore_errors=True)


def answers(references):
    """Waits for results; an exception is printed, and the program goes on."""
    good = 0
    for reference in references:
        try:
            ray.get(reference)
            good += 1
        except Exception as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
    print(f"{good} of {len(references)} results")
