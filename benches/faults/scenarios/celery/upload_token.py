r"""
fault = "the token with which the tasks upload has run out: the store answers 401"
kind = "refused"
outcome = "failed"
cause = [{ file = "worker.log", text = "401|Unauthorized" }, { file = "store.log", text = " 401 " }, { file = "workflow.err", text = "401" }]
subject = []
innocent = []
shows = "0 of 6 uploaded"
"""
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import fault
import queueing


class Store(BaseHTTPRequestHandler):
    def do_PUT(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        valid = float(self.headers["Authorization"].split(".")[1]) > time.time()
        self.send_response(201) if valid else self.send_error(401, "Unauthorized", "token expired")
        if valid:
            self.end_headers()

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"ok\n")

    def log_message(self, form, *values):
        with open("store.log", "a") as log:
            log.write(f'{self.client_address[0]} - backup [{self.log_date_time_string()}] {form % values}\n')


server = ThreadingHTTPServer(("127.0.0.1", 0), Store)
threading.Thread(target=server.serve_forever, daemon=True).start()
queueing.application("backup", f'''
import urllib.request

STORE = "http://127.0.0.1:{server.server_port}"

@app.task
def check():
    return urllib.request.urlopen(STORE + "/health").status

@app.task
def pack(day):
    time.sleep(0.3)
    return day

@app.task
def upload(day):
    request = urllib.request.Request(f"{{STORE}}/backups/{{day}}.tar", bytes(5000), method="PUT")
    request.add_header("Authorization", "Bearer bk7.{time.time() - 4000:.0f}.x9Qe")
    try:
        return urllib.request.urlopen(request, timeout=5).status
    except urllib.error.HTTPError as error:
        raise RuntimeError(f"PUT {{request.selector}}: HTTP {{error.code}} {{error.reason}}") from None
''')
worker = queueing.worker("backup", options=["--concurrency", "2"])
client = queueing.Client("backup")
print("store answers", client.send("check").get(timeout=30))
packed = [client.send("pack", f"2026-11-{day}") for day in range(20, 26)]
print("packed", ", ".join(p.get(timeout=30) for p in packed))
good = 0
for day in range(20, 26):
    try:
        client.send("upload", f"2026-11-{day}").get(timeout=30)
        good += 1
    except Exception as error:
        print(f"2026-11-{day}: {type(error).__name__}: {error}", file=sys.stderr)
print(f"{good} of 6 uploaded")
queueing.end(worker)
sys.exit(good < 6)
