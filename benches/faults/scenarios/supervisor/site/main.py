r"""
fault = "none: supervisord warns about root and about programs that end quickly until the store is there; all come up, and it is asked to stop."
kind = "healthy-warnings"
outcome = "healthy"
on = ["services"]
shows = "success: api entered RUNNING state"
limit = 60
program = "supervisor 4.3"
"""

import os
import subprocess
import sys
import time
from pathlib import Path

import fault
from fault_services import stop

env = Path(sys.executable).parent
section = lambda name, command, more="": (
    f"[program:{name}]\ncommand={command}\ndirectory={fault.HOME}\nredirect_stderr=true\nstdout_logfile={os.getcwd()}/{name}.log\n{more}\n"
)
Path("../supervisord.conf").write_text(f"""
[supervisord]
nodaemon=true
logfile={os.getcwd()}/supervisord.log
pidfile={fault.HOME}/supervisord.pid
childlogdir={fault.HOME}
""" + section("store", f"{sys.executable} -u store.py", "startsecs=2\npriority=10")
    + section("api", f"{sys.executable} -u api.py", "priority=30\nstartretries=6\nstartsecs=2")
    + section("migrate", f"{sys.executable} -u migrate.py", "priority=20\nautorestart=unexpected\nstartsecs=0\nexitcodes=0,2"))
daemon = subprocess.Popen([env / "supervisord", "-c", "../supervisord.conf"], stdout=subprocess.DEVNULL)
time.sleep(22)
stop(daemon)
