r"""
fault = "none: downloads from a mirror that answers some requests with 503 or cuts the connection; every file arrives at a later attempt"
kind = "healthy-retries"
outcome = "healthy"
subject = []
shows = '24 of 24 files verified'
"""

import hashlib
import http.client
import http.server
import logging
import random
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

FILES = {f"/pool/main/pkg-{n:02}.tar": bytes([n]) * 20_000 for n in range(24)}
chance, lock = random.Random(5), threading.Lock()


class Mirror(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with lock:
            luck = chance.random()
        body = FILES[self.path]
        if luck < 0.2:
            return self.send_error(503, "Service Unavailable")
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: 9000 if luck < 0.3 else None])

    def log_message(self, form, *args):
        access.info("127.0.0.1 " + form, *args)


def handler(name, path, form):
    log = logging.getLogger(name)
    log.setLevel(logging.DEBUG)
    log.addHandler(logging.FileHandler(path))
    log.handlers[0].setFormatter(logging.Formatter(form))
    return log


access = handler("mirror", "mirror-access.log", "%(asctime)s %(message)s")
log = handler("fetch", "fetch.log", "%(asctime)s | %(levelname)-8s | %(threadName)s | %(message)s")


def fetch(base, path):
    for attempt in range(1, 7):
        try:
            with urllib.request.urlopen(base + path, timeout=5) as answer:
                data = answer.read()
            log.info("%s: %d bytes, sha256 %s", path, len(data), hashlib.sha256(data).hexdigest()[:12])
            return True
        except (urllib.error.HTTPError, http.client.IncompleteRead) as error:
            log.warning("%s: attempt %d failed: %r, trying again in %.1f s", path, attempt, error, 0.3 * attempt)
            time.sleep(0.3 * attempt)
    log.error("%s: giving up", path)
    return False


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Mirror)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}"
    with ThreadPoolExecutor(4, thread_name_prefix="fetch") as pool:
        good = sum(pool.map(lambda path: fetch(base, path), FILES))
    log.info("%d of %d files verified", good, len(FILES))
    print(f"{good} of {len(FILES)} files verified")


main()
