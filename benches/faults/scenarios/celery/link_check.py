r"""
fault = "none: a checker of links finds dead ones, whose tasks raise; the report counts them, which is its purpose"
kind = "healthy-failures"
outcome = "healthy"
shows = "report written"
"""
import collections
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import fault
import queueing


class Site(BaseHTTPRequestHandler):
    def do_HEAD(self):
        gone = self.path in ("/2019/old-news", "/team/klaus", "/img/logo_v1.png")
        self.send_response(404 if gone else 301 if self.path == "/about" else 200)
        if self.path == "/about":
            self.send_header("Location", "/contact")
        self.end_headers()

    do_GET = do_HEAD

    def log_message(self, form, *values):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
threading.Thread(target=server.serve_forever, daemon=True).start()
queueing.application("links", f'''
import urllib.request

@app.task(throws=(OSError,))
def head(path):
    request = urllib.request.Request("http://127.0.0.1:{server.server_port}" + path, method="HEAD")
    try:
        return urllib.request.urlopen(request, timeout=5).status
    except urllib.error.HTTPError as error:
        raise OSError(f"HTTP {{error.code}}") from None

@app.task
def head_external(host):
    import socket
    with socket.create_connection((host, 1), timeout=2):
        return 200
''')
worker = queueing.worker("links", options=["--concurrency", "2"])
client = queueing.Client("links")
paths = ["/", "/about", "/contact", "/2019/old-news", "/2026/new", "/team/klaus", "/team/ines", "/img/logo_v1.png", "/img/logo_v2.png", "/feed"]
jobs = {path: client.send("head", path) for path in paths} | {"partner": client.send("head_external", "127.0.0.1")}
report = collections.defaultdict(list)
for path, job in jobs.items():
    try:
        report[f"ok {job.get(timeout=30)}"].append(path)
    except Exception as error:
        report["dead"].append(path)
        print(f"dead: {path} ({error})")
queueing.end(worker)
Path("links.json").write_text(json.dumps(report, indent=1))
print(f"report written: {len(jobs)} links, {len(report['dead'])} dead")
