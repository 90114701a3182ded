import random
import threading
import time

import zmq

socket = zmq.Context().socket(zmq.PUSH)
socket.bind("tcp://127.0.0.1:5711")
say = lambda text: print(f"{time.strftime('%Y-%m-%dT%H:%M:%S')}.{int(time.time() * 1000) % 1000:03} CAM  {text}", flush=True)


def write(frame, exposure):
    with open(f"../frames/{frame:03}.raw", "wb", buffering=0) as file:
        for row in range(1024):
            file.write(random.randbytes(1) * 2048)
            if row % 64 == 63:
                time.sleep(0.05 if exposure > 60 else 0.008)
    say(f"frame {frame} closed, 1024 rows")


say("shutter ready, 1024 x 2048")
for frame in range(1, 25):
    exposure = 90 if frame in (9, 17) else random.choice((5, 10, 20))
    say(f"frame {frame} exposed {exposure} s")
    writer = threading.Thread(target=write, args=(frame, exposure))
    writer.start()
    time.sleep(0.3)
    socket.send_json({"frame": frame, "exposure": exposure})
    say(f"frame {frame} announced")
    writer.join()
    time.sleep(0.2)
socket.send_json({"frame": 0})
say("night over")
