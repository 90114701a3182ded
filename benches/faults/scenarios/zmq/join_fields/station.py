import json
import random
import sys
import time

import zmq

name, port = sys.argv[1], int(sys.argv[2])
socket = zmq.Context().socket(zmq.PUB)
socket.bind(f"tcp://127.0.0.1:{port}")


def say(**fields):
    print(json.dumps({"time": round(time.time(), 3), "level": "INFO", "station": name} | fields), flush=True)


fields = {"wind": lambda: random.gauss(8, 2), "humidity": lambda: random.gauss(70, 5)}
say(msg="publishing", topics=list(fields), endpoint=f"tcp://127.0.0.1:{port}")
time.sleep(1)
minute = 0
while True:
    minute += 1
    for topic, read in fields.items():
        value = round(read(), 1)
        socket.send_multipart([topic.encode(), json.dumps([name, minute, value]).encode()])
        say(msg="sent", topic=topic, minute=minute, value=value)
    time.sleep(1)
