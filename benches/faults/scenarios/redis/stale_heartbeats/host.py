import random
import sys
import threading
import time

import redis

me = sys.argv[1]
db = redis.Redis(port=6395, decode_responses=True)
say = lambda text: print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {me} {text}", flush=True)


def beat():
    while True:
        db.hset("seen", me, time.time())
        time.sleep(1)


threading.Thread(target=beat, daemon=True).start()
say("up, heartbeat every 1 s")
while not db.exists("complete"):
    swath = db.lmove("queued", f"held:{me}", "LEFT", "RIGHT")
    if swath is None:
        time.sleep(0.3)
        continue
    say(f"{swath} began")
    time.sleep(random.uniform(0.8, 1.3))
    if db.lrem(f"held:{me}", 1, swath) and db.sadd("done", swath):
        say(f"{swath} delivered, {random.randint(3000, 5000)} soundings")
    else:
        say(f"{swath} dropped, it is no longer mine")
say("down")
