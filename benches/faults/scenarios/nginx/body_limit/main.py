r"""
fault = "The limit for uploads was raised in conf.d/uploads.conf, but nginx reads sites-enabled alone and keeps its limit of 1 MB."
kind = "wrong-config"
outcome = "failed"
cause = [
    { file = "deploy.log", text = "wrote conf.d/uploads.conf" },
    { file = "deploy.log", text = "# configuration file " },
]
subject = ["file conf.d/uploads.conf"]
innocent = ["service photos"]
on = ["services"]
needs = ["nginx"]
shows = "client intended to send too large body"
limit = 60
program = "nginx 1.22, aiohttp 3.14"
"""

import os
import subprocess
import sys
import time
import urllib.error
import urllib.request

import fault
from fault_services import launched, python, reachable, stop

prefix = fault.HOME / "nginx"
(prefix / "sites-enabled").mkdir(parents=True)
(prefix / "conf.d").mkdir()
temp = "".join(f"    {kind}_temp_path {prefix}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
(prefix / "nginx.conf").write_text(
    f"worker_processes 1;\npid {prefix}/nginx.pid;\nevents {{}}\nhttp {{\n{temp}    access_log {os.getcwd()}/access.log;\n"
    f"    include sites-enabled/*;\n}}\n"
)
(prefix / "sites-enabled/photos").write_text("server {\n    listen 127.0.0.1:8221;\n    location / { proxy_pass http://127.0.0.1:8222; }\n}\n")
log = open("deploy.log", "w", buffering=1)
say = lambda text: print(f"{time.strftime('%Y-%m-%dT%H:%M:%S')} deploy {text}", file=log)

say("release 88: photos up to 25 MB")
(prefix / "conf.d/uploads.conf").write_text("client_max_body_size 25m;\n")
say("wrote conf.d/uploads.conf: client_max_body_size 25m")
asked = subprocess.run(["nginx", "-p", prefix, "-c", prefix / "nginx.conf", "-e", "stderr", "-T"], capture_output=True, text=True)
for line in (asked.stdout + asked.stderr).splitlines():
    if line.startswith(("# configuration file", "nginx:")):
        say(line)
photos = python("photos", "photos.py")
reachable(8222)
server = launched(prefix)
reachable(8221)
say("nginx is up")
failed = 0
for n, size in enumerate([300_000, 720_000, 3_400_000, 150_000, 910_000, 5_200_000, 2_100_000, 480_000], 1):
    try:
        with urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:8221/album/{n}", bytes(size), method="PUT")) as answer:
            print(f"photo {n} ({size // 1000} kB): {answer.status}")
    except OSError as error:
        failed += 1
        print(f"photo {n} ({size // 1000} kB): {getattr(error, 'code', None) or error}")
    time.sleep(0.5)
print(f"{failed} of 8 photos not stored")
stop(server, photos)
sys.exit(1 if failed else 0)
