import random
import sys
import time

import redis

me = int(sys.argv[1])
db = redis.Redis(port=6393)
say = lambda text: print(f"{time.strftime('%b %d %H:%M:%S')} trap{me} fetch[{1400 + me}]: {text}", flush=True)
say("card mounted, 18 pictures")
for n in range(1, 19):
    began = time.time()
    size = random.randint(220_000, 310_000)
    time.sleep(random.uniform(0.02, 0.05))
    read = time.time()
    said = False
    while db.llen("pictures") >= 12:
        if not said:
            say("list is full")
            said = True
        time.sleep(0.1)
    db.rpush("pictures", b"%d-%02d:" % (me, n) + random.randbytes(size))
    say(f"picture {n:02} {size // 1000} kB read {1000 * (read - began):.0f} ms queued {1000 * (time.time() - read):.0f} ms")
db.rpush("pictures", b"end:")
say("card empty")
