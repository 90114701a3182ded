r"""
fault = "none: a survey of an office's own services whose table says which ports must be closed; refused connections and a bad certificate name are what it expects"
kind = "healthy-failures"
outcome = "healthy"
subject = []
shows = '0 surprises'
"""

import logging
import socket
import sys
import threading
import time

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(levelname)-8s survey: %(message)s", datefmt="%b %d %H:%M:%S")
log = logging.getLogger("survey")


def listening():
    server = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=lambda: [server.accept()[0].sendall(b"220 ready\r\n") for _ in range(100)], daemon=True).start()
    return server.getsockname()[1]


def closed():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def probe(name, port, expected):
    for attempt in range(2):
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
                banner = connection.recv(40).decode().strip()
            log.info("%s port %d: open, banner %r", name, port, banner)
            found = "open"
        except OSError as error:
            log.warning("%s port %d: connect failed: %s", name, port, error)
            found = "closed"
        time.sleep(0.15)
    return found == expected


def main():
    good, table = 0, []
    for n in range(18):
        expected = "open" if n % 3 else "closed"
        table.append((f"desk-{n:02}", listening() if expected == "open" else closed(), expected))
    for name, port, expected in table:
        as_meant = probe(name, port, expected)
        good += as_meant
        log.log(logging.INFO if as_meant else logging.ERROR, "%s: expected %s, %s", name, expected, "as meant" if as_meant else "SURPRISE")
    log.info("18 hosts surveyed, %d as meant, %d surprises", good, 18 - good)
    return 0 if good == 18 else 1


sys.exit(main())
