r"""
fault = "memmon restarts the render program whenever it uses more than 48 MB, which a poster of 40 tiles always does; each time it begins anew."
kind = "watchdog"
outcome = "hangs"
cause = [
    { file = "memmon.log", text = "Restarting render:render|RSS of render:render is (5[1-9]|[6-9]\\d)\\d{6}$" },
]
subject = ["program render"]
innocent = ["program orders", "program thumbs"]
on = ["services"]
shows = "Restarting render"
stop = "TERM"
seconds = 26
limit = 90
program = "supervisor 4.3, superlance 2.0"
"""

import os
import subprocess
import sys
from pathlib import Path

import fault

env = Path(sys.executable).parent
section = lambda name, command, more="": (
    f"[program:{name}]\ncommand={command}\ndirectory={os.getcwd()}\nautorestart=true\nredirect_stderr=true\nstdout_logfile={os.getcwd()}/{name}.log\n{more}\n"
)
Path("../supervisord.conf").write_text(f"""
[unix_http_server]
file={fault.HOME}/supervisor.sock
[supervisord]
nodaemon=true
logfile={os.getcwd()}/supervisord.log
pidfile={fault.HOME}/supervisord.pid
childlogdir={fault.HOME}
[rpcinterface:supervisor]
supervisor.rpcinterface_factory = supervisor.rpcinterface:make_main_rpcinterface
[supervisorctl]
serverurl=unix://{fault.HOME}/supervisor.sock
[eventlistener:memmon]
command={env}/memmon -p render=48MB -p thumbs=200MB
events=TICK_5
stderr_logfile={os.getcwd()}/memmon.log
""" + "".join(section(name, f"{sys.executable} {fault.HOME}/{name}.py") for name in ("orders", "render", "thumbs")))
daemon = subprocess.Popen([env / "supervisord", "-c", "../supervisord.conf"], stdout=subprocess.DEVNULL)
fault.wait_for("Restarting render", "memmon.log", 40)
fault.begun()
daemon.wait()
