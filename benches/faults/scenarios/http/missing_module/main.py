r"""
fault = "The new release of maps imports shapely, which is not installed; its gunicorn does not boot, while the other services do."
kind = "import"
outcome = "failed"
cause = [{ file = "maps.log", text = "No module named 'shapely'" }]
subject = ["service maps"]
innocent = ["service search", "service users"]
on = ["services"]
shows = "No module named 'shapely'"
limit = 60
program = "gunicorn 27.0, flask 3.1"
"""

import subprocess
import sys
import time

import fault
from fault_services import reachable, stop

say = lambda text: print(f"{time.strftime('%H:%M:%S')} stack: {text}")
services = {}
for n, name in enumerate(("users", "search", "maps")):
    say(f"starting {name} on {8251 + n}")
    services[name] = fault.start(name, [
        sys.executable, "-m", "gunicorn", "--chdir", "..", "--workers", "2", "--bind", f"127.0.0.1:{8251 + n}",
        "--access-logfile", "-", f"{name}:app",
    ])
for n, name in enumerate(services):
    up = reachable(8251 + n, 5)
    for _ in range(5):
        subprocess.run(["curl", "-s", "-m", "2", "-o", "/dev/null", f"http://127.0.0.1:{8251 + n}/health"])
        time.sleep(0.2)
    status = services[name].poll()
    say(f"{name} is healthy" if status is None else f"{name} is not healthy, status {status}")
bad = [name for name, service in services.items() if service.poll() is not None]
stop(*services.values())
sys.exit(1 if bad else 0)
