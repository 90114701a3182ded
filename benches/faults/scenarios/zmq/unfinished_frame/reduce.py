import time

import zmq

socket = zmq.Context().socket(zmq.PULL)
socket.connect("tcp://127.0.0.1:5711")
say = lambda text: print(f"{time.strftime('%Y-%m-%dT%H:%M:%S')}.{int(time.time() * 1000) % 1000:03} RED  {text}", flush=True)
say("dark and flat loaded")
rows = 0
while (notice := socket.recv_json())["frame"]:
    data = open(f"../frames/{notice['frame']:03}.raw", "rb").read()
    rows += len(data) // 2048
    say(f"frame {notice['frame']}: {len(data) // 2048} rows, mean {sum(data[::4096]) / max(1, len(data[::4096])):.1f}, reduced")
say(f"stack of {rows} rows written")
