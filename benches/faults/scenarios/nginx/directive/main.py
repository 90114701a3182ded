r"""
fault = "The site shop.conf has the directive proxy_read_timout, which nginx does not know; it does not start."
kind = "config"
outcome = "failed"
cause = [{ file = "*", text = "unknown directive \"proxy_read_timout\"" }]
subject = ["file shop.conf"]
innocent = ["service shop"]
on = ["services"]
needs = ["nginx"]
shows = "unknown directive"
limit = 60
program = "nginx 1.22, gunicorn 27.0"
"""

import subprocess
import sys
import time

import fault
from fault_services import launched, reachable, stop

say = lambda text: print(f"[{time.strftime('%H:%M:%S')}] rollout: {text}")
prefix = fault.HOME / "nginx"
(prefix / "sites").mkdir(parents=True)
temp = "".join(f"    {kind}_temp_path {prefix}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
(prefix / "nginx.conf").write_text(
    f"worker_processes 1;\npid {prefix}/nginx.pid;\nevents {{}}\nhttp {{\n{temp}    access_log off;\n    include sites/*.conf;\n}}\n"
)
for n, (site, limit) in enumerate([("blog", "proxy_read_timeout"), ("docs", "proxy_read_timeout"), ("shop", "proxy_read_timout")]):
    (prefix / f"sites/{site}.conf").write_text(
        f"server {{\n    listen 127.0.0.1:823{n};\n    server_name {site}.example.org;\n    location / {{\n"
        f"        proxy_pass http://127.0.0.1:8235;\n        {limit} 30s;\n    }}\n}}\n"
    )
    say(f"rendered {site}.conf")
shop = fault.start("shop", [
    sys.executable, "-m", "gunicorn", "--chdir", "..", "--workers", "2", "--bind", "127.0.0.1:8235", "--access-logfile", "-", "shop:app",
])
reachable(8235)
say("shop answers on 8235")
subprocess.run(["curl", "-s", "-o", "/dev/null", "http://127.0.0.1:8235/health"])
for attempt in range(1, 4):
    say(f"starting nginx, attempt {attempt}")
    server = launched(prefix)
    if reachable(8230, 2):
        break
    say(f"sites do not answer, nginx ended with status {server.wait()}")
else:
    say("rollout stopped, old release stays")
    stop(shop)
    sys.exit(1)
