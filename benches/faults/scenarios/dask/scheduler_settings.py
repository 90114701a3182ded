r"""
fault = "a file of the configuration has a tabulator where YAML wants spaces: scheduler and workers do not start"
kind = "config"
outcome = "failed"
cause = [{ file = "*.log", text = "malformed|found character .*cannot start" }, { file = "workflow.err", text = "malformed|found character" }]
subject = ["file comm.yaml"]
innocent = []
shows = "malformed"
"""
import os
import subprocess
import sys
import time
from pathlib import Path

import fault
from fault_dask import free_port

folder = Path("../etc/dask")
folder.mkdir(parents=True)
(folder / "adaptive.yaml").write_text("distributed:\n  adaptive:\n    interval: 2s\n    minimum: 1\n")
(folder / "comm.yaml").write_text("distributed:\n  comm:\n    retry:\n      count: 3\n\ttimeouts:\n      connect: 20s\n")
variables = os.environ | {"DASK_CONFIG": str(folder.resolve())}
print(time.strftime("%F %T"), "starting scheduler and 2 workers, settings in etc/dask: adaptive.yaml comm.yaml")
port = str(free_port())
dask = [sys.executable, "-m"]
programs = {"scheduler": fault.start("scheduler", [*dask, "distributed.cli.dask_scheduler", "--port", port, "--no-dashboard"], env=variables)}
for n in range(2):
    programs[f"worker-{n}"] = fault.start(f"worker-{n}", [*dask, "distributed.cli.dask_worker", f"tcp://127.0.0.1:{port}", "--name", f"w{n}"], env=variables)
for name, program in programs.items():
    print(time.strftime("%F %T"), name, "ended with", program.wait(60))
client = subprocess.run([sys.executable, "-c", f"from distributed import Client; Client('tcp://127.0.0.1:{port}', timeout=5)"], env=variables)
sys.exit(client.returncode)
