import logging
import random
import signal
import socket
import sys
import time

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(levelname)s api %(message)s")
signal.signal(signal.SIGTERM, lambda *_: (logging.info("bye"), sys.exit(0)))


def ask(question):
    with socket.create_connection(("127.0.0.1", 8271), 2) as store:
        store.sendall(question)
        return store.recv(100)


try:
    ask(b"ping")
except OSError as error:
    logging.warning("store: %s", error)
    sys.exit(3)
logging.info("connected to the store")
for n in range(1, 1000):
    began = time.time()
    ask(b"get")
    logging.info("GET /item/%d 200 %.1f ms", random.randint(1, 900), 1000 * (time.time() - began))
    if n % 15 == 0:
        logging.warning("cache is at %d %% of its size, evicting", 90 + n % 7)
    time.sleep(random.uniform(0.2, 0.5))
