r"""
fault = "One of four backends runs with a cache of 0 tiles, asks the origin for every tile, and is thirty times slower than the others."
kind = "straggler"
outcome = "slow"
cause = [
    { file = "access.log", text = "upstream=127.0.0.1:8213 " },
    { file = "tiles-8213.log", text = "cache 0 tiles|from origin" },
]
subject = ["upstream 127.0.0.1:8213"]
innocent = ["upstream 127.0.0.1:8211", "upstream 127.0.0.1:8212", "upstream 127.0.0.1:8214"]
on = ["services"]
needs = ["nginx"]
shows = "tiles loaded in"
limit = 90
program = "nginx 1.22, Python 3.11"
"""

import os
import random
import threading
import time
import urllib.request

from fault_services import nginx, python, reachable, stop

backends = [python(f"tiles-{port}", "tiles.py", port, cache) for port, cache in ((8211, 500), (8212, 500), (8213, 0), (8214, 500))]
for port in range(8211, 8215):
    reachable(port)
server = nginx("""
    log_format timing '$remote_addr [$time_iso8601] "$request" $status $body_bytes_sent upstream=$upstream_addr urt=$upstream_response_time rt=$request_time';
    access_log %s/access.log timing;
    upstream tiles {
        server 127.0.0.1:8211; server 127.0.0.1:8212; server 127.0.0.1:8213; server 127.0.0.1:8214;
    }
    server {
        listen 127.0.0.1:8210;
        location / { proxy_pass http://tiles; }
    }
""" % os.getcwd())
reachable(8210)


def browse(walk):
    for n in range(60):
        tile = f"/14/{8700 + walk.randint(0, 5)}/{5600 + walk.randint(0, 5)}.png"
        urllib.request.urlopen("http://127.0.0.1:8210" + tile).read()
        time.sleep(0.05)


began = time.time()
visitors = [threading.Thread(target=browse, args=(random.Random(n),)) for n in range(4)]
for visitor in visitors:
    visitor.start()
for visitor in visitors:
    visitor.join()
print(f"240 tiles loaded in {time.time() - began:.1f} s")
stop(server, *backends)
