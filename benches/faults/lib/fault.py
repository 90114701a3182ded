"""What the scenarios share: processes of the run to be found and killed, programs to be started, configurations of Parsl."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

RUN = os.environ["FAULTS_RUN"]
HOME = Path("..").resolve()
ENVIRONMENTS = Path(os.environ["FAULTS_ENVIRONMENTS"])


def processes(pattern):
    """Ids of the run's processes whose command line matches, in the order in which they began."""
    mark, found = f"FAULTS_RUN={RUN}".encode(), []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            # A process that sets its title writes over its environment.
            own = mark in (entry / "environ").read_bytes().split(b"\0") or Path(os.readlink(entry / "cwd")).is_relative_to(HOME)
            if own and re.search(pattern, command):
                found.append(int(entry.name))
        except OSError:
            pass
    return sorted(found)


def begun():
    """Marks the moment from which the seconds of a run that is to be stopped count."""
    Path("../begun").touch()


def injected(text):
    """Notes what was done to the run, outside the folder that is diagnosed."""
    with open("../injected", "a") as file:
        file.write(text + "\n")
    begun()


def send(signal_name, pattern, which=slice(None), wait=20):
    """Sends a signal to the processes that match, once there are any."""
    until = time.time() + wait
    while not (pids := processes(pattern)[which]) and time.time() < until:
        time.sleep(0.1)
    for pid in pids:
        os.kill(pid, getattr(signal, f"SIG{signal_name}"))
    injected(f"{signal_name} {pattern} {pids}")
    return pids


def later(seconds, call, *arguments, **options):
    """Calls a function in a thread after some seconds."""
    timer = threading.Timer(seconds, call, arguments, options)
    timer.daemon = True
    timer.start()
    return timer


def start(name, command, **options):
    """Starts a program whose output goes to NAME.log."""
    log = open(f"{name}.log", "wb")
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, **options)


def wait_for(pattern, path, seconds=30):
    """Waits until a file has a text."""
    until = time.time() + seconds
    while time.time() < until:
        if Path(path).exists() and re.search(pattern, Path(path).read_text(errors="replace")):
            return True
        time.sleep(0.1)
    return False


def results(futures):
    """Waits for futures as many programs do: an exception is printed, and the program goes on."""
    good = 0
    for future in futures:
        try:
            future.result()
            good += 1
        except Exception as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
    print(f"{good} of {len(futures)} results")


def htex(label="htex", workers=2, worker_init="", blocks=1, provider=None, **more):
    """An executor of Parsl with one block on this machine, whose heartbeats are quick."""
    from parsl.executors import HighThroughputExecutor
    from parsl.providers import LocalProvider

    settings = dict(
        label=label, address="127.0.0.1", max_workers_per_node=workers, cores_per_worker=0.1, heartbeat_period=1, heartbeat_threshold=6,
        address_probe_timeout=30,
        provider=provider or LocalProvider(init_blocks=blocks, min_blocks=0, max_blocks=max(blocks, 1), worker_init=worker_init),
    )
    return HighThroughputExecutor(**(settings | more))


def load(*executors, **more):
    """Loads Parsl with some executors."""
    import parsl
    from parsl.config import Config

    return parsl.load(Config(executors=list(executors) or [htex()], **more))
