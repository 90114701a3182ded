import collections
import json
import logging
import sys

import zmq

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(levelname)s join: %(message)s")
FIELDS = ["wind", "humidity", "pressure"]
socket = zmq.Context().socket(zmq.SUB)
for port in (5721, 5722, 5723):
    socket.connect(f"tcp://127.0.0.1:{port}")
for topic in FIELDS:
    socket.subscribe(topic)
logging.info("a minute needs %s of 3 stations", ", ".join(FIELDS))
minutes, received, written = collections.defaultdict(dict), 0, 0
while True:
    topic, body = socket.recv_multipart()
    station, minute, value = json.loads(body)
    minutes[minute][station, topic.decode()] = value
    received += 1
    if len(minutes[minute]) == 3 * len(FIELDS):
        written += 1
        logging.info("minute %d written", minute)
        del minutes[minute]
    if received % 18 == 0:
        logging.info("%d values received, %d minutes open, %d written", received, len(minutes), written)
