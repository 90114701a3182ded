import random
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

port, room = int(sys.argv[1]), int(sys.argv[2])
say = lambda text: print(f"{time.strftime('%Y/%m/%d %H:%M:%S')} tiles:{port} {text}", flush=True)
cache = {f"/14/{x}/{y}.png": bytes(2000 + 17 * (x + y) % 900) for x in range(8700, 8706) for y in range(5600, 5606)} if room else {}


class Tiles(BaseHTTPRequestHandler):
    def do_GET(self):
        tile = cache.get(self.path)
        if tile is None:
            began = time.time()
            time.sleep(random.uniform(0.4, 0.7))
            tile = bytes(2400)
            say(f"{self.path} from origin, {1000 * (time.time() - began):.0f} ms")
            if len(cache) < room:
                cache[self.path] = tile
        self.send_response(200)
        self.send_header("Content-Length", str(len(tile)))
        self.end_headers()
        self.wfile.write(tile)

    def log_message(self, *_):
        pass


say(f"start, cache {room} tiles, {len(cache)} warm")
ThreadingHTTPServer(("127.0.0.1", port), Tiles).serve_forever()
