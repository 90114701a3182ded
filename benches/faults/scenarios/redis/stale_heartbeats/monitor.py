import time

import redis

db = redis.Redis(port=6395, decode_responses=True)
say = lambda text: print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} monitor {text}", flush=True)
say("30 swaths, hosts are away after 10 s")
time.sleep(2)
while (done := db.scard("done")) < 30:
    for host, seen in db.hgetall("seen").items():
        silent = time.time() - float(seen)
        if silent > 10:
            back = 0
            while db.lmove(f"held:{host}", "queued", "RIGHT", "LEFT"):
                back += 1
            if back:
                say(f"{host} last seen {silent:.0f} s ago, {back} swath back to the queue")
    say(f"{done} of 30 delivered")
    time.sleep(0.7)
db.set("complete", 1)
say("complete")
