r"""
fault = "none: the backends are restarted one after another for a release; nginx asks the next one, and all visitors are served."
kind = "healthy-retries"
outcome = "healthy"
on = ["services"]
needs = ["nginx"]
shows = "0 requests failed"
limit = 90
program = "nginx 1.22, Python 3.11"
"""

import os
import threading
import time
import urllib.request

from fault_services import nginx, python, reachable, stop

say = lambda text: print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} release: {text}")
ports = (8241, 8242, 8243)
running = {port: python(f"api-{port}", "api.py", port, "4.1") for port in ports}
for port in ports:
    reachable(port)
server = nginx("""
    access_log %s/access.log combined;
    upstream api {
        server 127.0.0.1:8241 max_fails=1 fail_timeout=1s; server 127.0.0.1:8242 max_fails=1 fail_timeout=1s;
        server 127.0.0.1:8243 max_fails=1 fail_timeout=1s;
    }
    server {
        listen 127.0.0.1:8240;
        location / { proxy_pass http://api; proxy_next_upstream error timeout http_503; }
    }
""" % os.getcwd())
reachable(8240)
served, failed, over = 0, 0, threading.Event()


def visit():
    global served, failed
    while not over.is_set():
        try:
            urllib.request.urlopen("http://127.0.0.1:8240/timetable?stop=12").read()
            served += 1
        except OSError as error:
            failed += 1
            say(f"{error}")
        time.sleep(0.12)


visitor = threading.Thread(target=visit)
visitor.start()
for port in ports:
    time.sleep(2)
    say(f"stopping {port}")
    stop(running[port])
    time.sleep(2.5)
    running[port] = python(f"api-{port}.new", "api.py", port, "4.2")
    reachable(port)
    say(f"{port} runs 4.2")
time.sleep(2)
over.set()
visitor.join()
say(f"{served} requests served, {failed} requests failed")
stop(server, *running.values())
