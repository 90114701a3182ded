"""What the scenarios of Celery share: a broker of files, a worker with two processes, a client."""

import os
import signal
import sys
import time
from pathlib import Path

import fault

APP = """
from celery import Celery

app = Celery("lab", broker="{broker}", backend="file://{folder}/results")
app.conf.broker_transport_options = {{
    "data_folder_in": "broker", "data_folder_out": "broker", "control_folder": "control", "store_processed": False,
}}
app.conf.broker_connection_retry_on_startup = True
"""


def run(tasks, calls, broker="filesystem://", kill_after=None):
    """Starts a worker for tasks, calls them, waits for their results, ends the worker."""
    for folder in ("broker", "control", "results"):
        Path("..", folder).mkdir()
    Path("../lab.py").write_text(APP.format(broker=broker, folder=Path("..").resolve()) + tasks)
    worker = fault.start(
        "worker", [sys.executable, "-m", "celery", "--workdir", "..", "-A", "lab", "worker", "--concurrency", "2", "--loglevel", "INFO"]
    )
    if not calls:
        fault.begun()
        time.sleep(3600)
    fault.wait_for(r"ready\.", "worker.log", 60)
    fault.begun()
    sys.path.insert(0, "..")
    from celery import Celery

    os.chdir("..")
    app = Celery("lab", broker=broker, backend=f"file://{os.getcwd()}/results")
    app.conf.broker_transport_options = {"data_folder_in": "broker", "data_folder_out": "broker", "control_folder": "control"}
    results = [app.send_task(f"lab.{name}", args) for name, *args in calls]
    os.chdir("run")
    if kill_after:
        time.sleep(kill_after)
        fault.send("KILL", r"-m celery.* worker")
    fault.results([Result(result) for result in results])
    worker.send_signal(signal.SIGTERM)
    worker.wait(30)


class Result:
    """The result of a task, with the interface of a future."""

    def __init__(self, result):
        self.given = result

    def result(self):
        return self.given.get(timeout=90)
