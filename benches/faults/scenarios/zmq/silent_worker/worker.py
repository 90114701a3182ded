import random
import sys
import time

import zmq

me = sys.argv[1]
socket = zmq.Context().socket(zmq.DEALER)
socket.identity = me.encode()
socket.connect("tcp://127.0.0.1:5731")
say = lambda text: print(f"[INFO] {time.strftime('%Y-%m-%d %H:%M:%S')} {me}: {text}", flush=True)
say("engine loaded, languages de la")
socket.send(b"ready")
while True:
    if not socket.poll(1000):
        socket.send(b"beat")
        continue
    page = socket.recv().decode()
    say(f"page {page} began")
    for n in range(3):
        time.sleep(random.uniform(0.1, 0.35))
    say(f"page {page} done, {random.randint(1200, 2600)} characters")
    socket.send_multipart([b"done", page.encode()])
