"""What the scenarios of Dask share: a scheduler and workers as processes with a log each, a client."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import fault
from distributed import Client

PROCESSES = {}

# Without this, the logs of Dask name no task that neither fails nor ends.
DEBUG = "logging: {distributed: debug, distributed.core: info, distributed.comm: info, asyncio: info}\n"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def kill(name, signal_name="KILL"):
    """Sends a signal to the scheduler or a worker."""
    kill_pid(PROCESSES[name].pid, signal_name)


def kill_pid(pid, signal_name="KILL"):
    fault.injected(f"{signal_name} {pid}")
    os.kill(pid, getattr(signal, f"SIG{signal_name}"))


def pid_of_worker():
    return os.getpid()


def gather(futures):
    return [future.result() for future in futures]


def answers(futures):
    fault.results(futures)


def cluster(nanny=False, options=(), port=None, wrong_port=False, settings=None, debug=False, workers=2):
    """Starts a scheduler and workers; the scheduler's address."""
    port = port or free_port()
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler"], [sys.executable, "-m", "distributed.cli.dask_worker"]
    variables = os.environ | {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "8s"} | (settings or {})
    if debug:
        Path("../config").mkdir()
        Path("../config/logging.yaml").write_text(DEBUG)
        variables["DASK_CONFIG"] = "../config"
    common = dict(env=variables)
    PROCESSES["scheduler"] = fault.start("scheduler", [*dask[0], "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"], **common)
    fault.wait_for("Scheduler at:|Error", "scheduler.log")
    address = f"tcp://127.0.0.1:{port}"
    seen = f"tcp://127.0.0.1:{free_port()}" if wrong_port else address
    for n in range(workers):
        command = [*dask[1], seen, "--name", f"w{n}", "--nthreads", "1", "--no-dashboard", "--nanny" if nanny else "--no-nanny", *options]
        PROCESSES[f"worker{n}"] = fault.start(f"worker{n}", command, **common)
    return address


def run(main, **more):
    """Runs `main(client)` with a cluster; ends the cluster as its user would."""
    address = cluster(**more)
    if more.get("wrong_port") or more.get("options") or more.get("port"):
        fault.begun()
    with Client(address, timeout=8) as client:
        if not more.get("wrong_port") and not more.get("options"):
            client.wait_for_workers(2, timeout=60)
            fault.begun()
        main(client)
    for name in ("worker0", "worker1", "scheduler"):
        PROCESSES[name].send_signal(signal.SIGINT)
    for process in PROCESSES.values():
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            pass
