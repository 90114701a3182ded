import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

port, version = int(sys.argv[1]), sys.argv[2]


class Api(BaseHTTPRequestHandler):
    def do_GET(self):
        body = b'{"stop": 12, "next": ["08:12", "08:27"]}\n'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


print(f"{time.strftime('%d/%b/%Y %H:%M:%S')} api {version} on {port}", flush=True)
ThreadingHTTPServer(("127.0.0.1", port), Api).serve_forever()
