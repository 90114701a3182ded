r"""
fault = "none that lasts: a mirror answers 503 or cuts the transfer for some files; the tasks are tried again with success, as configured"
kind = "healthy-retries"
outcome = "healthy"
on = ["parsl-2026.10.26", "parsl-2024.6.3"]
shows = "18 of 18"
limit = 240
"""
import logging
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import fault
import parsl
import pool
from parsl import python_app

COUNTS = {}


class Mirror(BaseHTTPRequestHandler):
    def do_GET(self):
        COUNTS[self.path] = count = COUNTS.get(self.path, 0) + 1
        if count == 1 and self.path[-5] in "37":
            self.send_error(503, "mirror is syncing")
            return
        body = b">chr\n" + b"ACGT" * 5000
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:800] if count == 1 and self.path[-5] == "5" else body)

    def log_message(self, form, *values):
        with open("mirror.log", "a") as log:
            log.write(f"127.0.0.1 - - [{self.log_date_time_string()}] {form % values}\n")


@python_app
def download(url, folder):
    import logging
    import os
    import urllib.request
    logging.basicConfig(filename="download.log", level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s - %(message)s")
    log = logging.getLogger("download")
    name = os.path.basename(url)
    try:
        data = urllib.request.urlopen(url, timeout=10).read()
    except Exception as error:
        log.warning("%s: %s: %s", name, type(error).__name__, error)
        raise
    log.info("%s: %d bytes", name, len(data))
    return name, len(data)


server = ThreadingHTTPServer(("127.0.0.1", 0), Mirror)
threading.Thread(target=server.serve_forever, daemon=True).start()
parsl.set_file_logger("parsl.log", level=logging.INFO)
with parsl.load(pool.config(fault.htex(workers=3), retries=3, initialize_logging=False)):
    base = f"http://127.0.0.1:{server.server_port}/genomes"
    fault.results([download(f"{base}/GCF_0000{n:02}.fna", str(Path("..").resolve())) for n in range(10, 28)])
