r"""
fault = "nginx closes a socket that is quiet for 5 s, and the feed sends its heartbeat every 20 s: dashboards of quiet markets lose their sockets all the time and miss prices."
kind = "timeout"
outcome = "failed"
cause = [
    { file = "error.log", text = "upstream timed out .* while proxying upgraded connection" },
    { file = "feed.log", text = "heartbeat every 20 s" },
    { file = "workflow.out", text = "read timeout 5 s" },
]
subject = ["market wheat", "market maize"]
innocent = ["market gold"]
on = ["services"]
needs = ["nginx"]
shows = "while proxying upgraded connection"
limit = 90
program = "nginx 1.22, aiohttp 3.14"
"""

import os
import time

from fault_services import nginx, python, reachable, stop

say = lambda text: print(f"{time.strftime('%H:%M:%S')} gateway: {text}")
feed = python("feed", "feed.py")
reachable(8201)
say("listening on 127.0.0.1:8202, read timeout 5 s, send timeout 5 s")
server = nginx("""
    error_log RUN/error.log info;
    access_log RUN/access.log;
    server {
        listen 127.0.0.1:8202;
        location /prices/ {
            proxy_pass http://127.0.0.1:8201;
            proxy_http_version 1.1;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection upgrade;
            proxy_read_timeout 5s;
            proxy_send_timeout 5s;
        }
    }
""".replace("RUN", os.getcwd()))
reachable(8202)
boards = [python(f"board-{market}", "board.py", market) for market in ("gold", "wheat", "maize")]
for board in boards:
    board.wait()
stop(server, feed)
