"""What scenarios of Celery share: a broker of files, workers with options of their own, a client."""

import os
import signal
import sys
from pathlib import Path

import fault

APP = """
import logging
import time

from celery import Celery

app = Celery("{name}", broker="filesystem://", backend="file://{folder}/results")
app.conf.update(
    broker_transport_options={{"data_folder_in": "broker", "data_folder_out": "broker", "control_folder": "control"}},
    broker_connection_retry_on_startup=True,
    task_default_queue="{queue}",
)
"""


def application(name, tasks, queue="celery"):
    """Writes the module of the tasks, as `name`, beside the folder of the run."""
    for folder in ("broker", "control", "results"):
        Path("..", folder).mkdir()
    Path(f"../{name}.py").write_text(APP.format(name=name, folder=Path("..").resolve(), queue=queue) + tasks)


def worker(name, log="worker", options=(), before=(), ready=True, **more):
    """Starts a worker, and waits until it is ready."""
    command = [*before, sys.executable, "-m", "celery", "--workdir", "..", "-A", name, "worker", "--loglevel", "INFO", *options]
    process = fault.start(log, command, **more)
    if ready:
        fault.wait_for(r"ready\.", f"{log}.log", 60)
    return process


class Client:
    """Sends tasks; the folders of the broker are relative to the home."""

    def __init__(self, name, queue="celery"):
        from celery import Celery

        self.name = name
        self.app = Celery(name, broker="filesystem://", backend=f"file://{Path('..').resolve()}/results")
        folders = {key: str(Path("..", folder).resolve()) for key, folder in (("data_folder_in", "broker"), ("data_folder_out", "broker"), ("control_folder", "control"))}
        self.app.conf.update(broker_transport_options=folders, task_default_queue=queue)

    def send(self, task, *args, **options):
        return self.app.send_task(f"{self.name}.{task}", args, **options)


def end(*processes):
    for process in processes:
        process.send_signal(signal.SIGTERM)
    for process in processes:
        process.wait(30)
