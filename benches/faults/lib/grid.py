"""What scenarios of Dask share: a scheduler and workers with a log each, whose tasks log into the logs of their workers."""

import os
import subprocess
import sys
from pathlib import Path

import fault
from fault_dask import free_port

LOGGING = """
logging:
  version: 1
  disable_existing_loggers: false
  formatters:
    plain: {{format: "{form}"}}
  handlers:
    err: {{class: logging.StreamHandler, formatter: plain, stream: ext://sys.stderr}}
  loggers:
    distributed: {{level: INFO, handlers: [err], propagate: false}}
    {own}: {{level: INFO, handlers: [err], propagate: false}}
"""


class Cluster:
    def __init__(self, own, workers=2, form="%(asctime)s - %(name)s - %(levelname)s - %(message)s", options=(), nanny=False, variables=None):
        Path("../config").mkdir(exist_ok=True)
        Path("../config/logging.yaml").write_text(LOGGING.format(own=own, form=form))
        self.own, self.variables = own, os.environ | {"DASK_CONFIG": "../config"} | (variables or {})
        port = free_port()
        self.address = f"tcp://127.0.0.1:{port}"
        self.processes = [self.start("scheduler", "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")]
        fault.wait_for("Scheduler at:|Error", "scheduler.log")
        for n in range(workers):
            more = ["--name", f"w{n}", "--nthreads", "1", "--no-dashboard", "--nanny" if nanny else "--no-nanny", *options]
            self.processes.append(self.start(f"worker-{n}", "worker", self.address, *more))

    def start(self, log, program, *options):
        return fault.start(log, [sys.executable, "-m", f"distributed.cli.dask_{program}", *options], env=self.variables)

    def end(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                pass
