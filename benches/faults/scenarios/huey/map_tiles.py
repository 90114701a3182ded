r"""
fault = "the client gives the tile service 1 s; dense tiles of zoom 14 take it 1.5 s, so that they are replaced by empty ones"
kind = "timeout"
outcome = "failed"
cause = [{ file = "consumer.log", text = "no answer within|empty tile" }, { file = "tileserver.log", text = " 1\\.[5-9]\\d s" }]
subject = ["tile 14/8803/5373", "tile 14/8804/5373", "tile 14/8805/5373"]
innocent = ["tile 12/2200/1343"]
shows = "3 of 15 tiles empty"
"""
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import fault

DENSE = {"/14/8803/5373.png", "/14/8804/5373.png", "/14/8805/5373.png"}


class Tiles(BaseHTTPRequestHandler):
    def do_GET(self):
        begun = time.time()
        time.sleep(1.5 if self.path in DENSE else 0.12)
        try:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(bytes(48_000 if self.path in DENSE else 6_000))
        except OSError:
            pass
        with open("tileserver.log", "a") as log:
            log.write(f'{self.log_date_time_string()} "GET {self.path}" 200 {time.time() - begun:.2f} s\n')

    def log_message(self, *values):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Tiles)
threading.Thread(target=server.serve_forever, daemon=True).start()
Path("../tasks.py").write_text(f'''
import logging
import urllib.request

from huey import SqliteHuey

huey = SqliteHuey("maps", filename="../maps.db")
log = logging.getLogger("huey.maps")


@huey.task()
def tile(name):
    try:
        data = urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/{{name}}.png", timeout=1).read()
    except OSError:
        log.info("tile %s: no answer within 1 s, empty tile", name)
        return 0
    log.info("tile %s: %d bytes", name, len(data))
    return len(data)
''')
sys.path.insert(0, "..")
consumer = fault.start("consumer", [sys.executable, "-c", "import sys; sys.path.insert(0, '..'); from huey.bin.huey_consumer import consumer_main; consumer_main()", "tasks.huey", "-w", "3"])
fault.wait_for("Huey consumer started", "consumer.log")
from tasks import tile

names = [f"12/{x}/1343" for x in range(2198, 2204)] + [f"14/{x}/5373" for x in range(8800, 8809)]
sizes = [job.get(blocking=True, timeout=30) for job in [tile(name) for name in names]]
consumer.terminate()
consumer.wait(20)
print(f"{sizes.count(0)} of {len(sizes)} tiles empty, {sum(sizes)} bytes")
sys.exit(0 in sizes)
