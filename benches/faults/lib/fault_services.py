"""What the scenarios with services share: servers whose logs stand in the run and whose data in its home."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import fault

POSTGRES = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), Path("/usr/bin"))


def at_once(*_):
    """Ends the whole run at one moment, as a snapshot of its logs would show it: nobody lives to log the end of another."""
    pids = fault.processes(".")
    for how in (signal.SIGSTOP, signal.SIGKILL):
        for pid in pids:
            try:
                os.kill(pid, how)
            except ProcessLookupError:
                pass
    os._exit(143)


signal.signal(signal.SIGTERM, at_once)


def python(name, script, *arguments, **options):
    """Starts one of the scenario's own programs, whose output goes to NAME.log."""
    return fault.start(name, [sys.executable, f"../{script}", *map(str, arguments)], **options)


def reachable(port, seconds=20):
    """Waits until a port of this machine answers."""
    until = time.time() + seconds
    while time.time() < until:
        with socket.socket() as probe:
            probe.settimeout(1)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return True
        time.sleep(0.1)
    return False


def stop(*programs, how=signal.SIGTERM, seconds=15):
    """Asks programs to end, and waits for them."""
    for program in programs:
        if program.poll() is None:
            program.send_signal(how)
    for program in programs:
        try:
            program.wait(seconds)
        except subprocess.TimeoutExpired:
            program.kill()


def redis(port=6379, *settings, log="redis"):
    """A Redis server; settings as on its command line."""
    Path("../redis").mkdir(exist_ok=True)
    own = ["--port", str(port), "--bind", "127.0.0.1", "--dir", str(fault.HOME / "redis")]
    server = fault.start(log, ["redis-server", *own, *settings])
    reachable(port)
    return server


def postgres(port=5432, settings=None, log="postgres", auth="trust", ready=True):
    """A PostgreSQL server with the role `postgres` (password `postgres`), run by the Debian user of that name if this is root."""
    who = dict(user="postgres", group="postgres", extra_groups=[]) if os.getuid() == 0 else {}
    data = fault.HOME / "pgdata"
    if not data.exists():
        data.mkdir()
        if who:
            shutil.chown(data, "postgres", "postgres")
        secret = fault.HOME / "pgpass"
        secret.write_text("postgres\n")
        subprocess.run(
            [POSTGRES / "initdb", "-D", data, "-U", "postgres", "-A", auth, "--pwfile", secret, "-N", "-E", "UTF8", "--no-locale"],
            check=True, stdout=subprocess.DEVNULL, **who,
        )
    own = {
        "listen_addresses": "127.0.0.1", "unix_socket_directories": "", "fsync": "off", "log_line_prefix": "%m [%p] %q%u@%d ",
        "timezone": "UTC", "log_timezone": "UTC",
    } | (settings or {})
    options = [part for key, value in own.items() for part in ("-c", f"{key}={value}")]
    server = fault.start(log, [POSTGRES / "postgres", "-D", data, "-p", str(port), *options], **who)
    until = time.time() + 20
    probe = [POSTGRES / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)]
    while ready and time.time() < until and subprocess.run(probe, **who).returncode:
        time.sleep(0.2)
    return server


def nginx(http, **options):
    """nginx with the text of an `http` block; its logs stand in the run."""
    prefix = fault.HOME / "nginx"
    prefix.mkdir(exist_ok=True)
    (prefix / "nginx.conf").write_text(
        f"worker_processes 1;\npid {prefix}/nginx.pid;\nevents {{ worker_connections 256; }}\nhttp {{\n"
        + "".join(f"    {kind}_temp_path {prefix}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        + f"{http}\n}}\n"
    )
    return launched(prefix, **options)


def launched(prefix, conf="nginx.conf"):
    """nginx in the foreground with the configuration of a folder."""
    command = ["nginx", "-p", str(prefix), "-c", str(prefix / conf), "-e", str(Path("error.log").resolve()), "-g", "daemon off;"]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL)
