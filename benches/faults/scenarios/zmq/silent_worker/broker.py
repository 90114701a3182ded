import collections
import logging
import sys
import time

import zmq

logging.basicConfig(stream=sys.stdout, level=logging.DEBUG, format="[%(levelname)s] %(asctime)s broker: %(message)s")
socket = zmq.Context().socket(zmq.ROUTER)
socket.bind("tcp://127.0.0.1:5731")
pages = collections.deque(range(1, 61))
seen, busy, done = {}, {}, 0
logging.info("60 pages, workers are silent after 4 s")
while pages or busy:
    if socket.poll(500):
        who, kind, *rest = (part.decode() for part in socket.recv_multipart())
        if who not in seen:
            logging.info("worker %s registered", who)
        seen[who] = time.time()
        if kind == "done":
            done += 1
            del busy[who]
            if done % 10 == 0:
                logging.info("%d of 60 pages done", done)
        if kind in ("ready", "done") and pages:
            busy[who] = pages.popleft()
            socket.send_multipart([who.encode(), str(busy[who]).encode()])
            logging.debug("page %d to %s", busy[who], who)
    for who, last in list(seen.items()):
        if time.time() > last + 4:
            logging.warning("worker %s silent for %.1f s, dropped", who, time.time() - last)
            del seen[who]
            if page := busy.pop(who, None):
                logging.error("page %d lost with %s", page, who)
                sys.exit(1)
logging.info("book complete")
