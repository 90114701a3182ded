import time

import redis

db = redis.Redis(port=6393)
say = lambda text: print(f"{time.strftime('%b %d %H:%M:%S')} base uploader[1399]: {text}", flush=True)
say("station store on line ppp0")
ends = 0
while ends < 3:
    _, picture = db.blpop("pictures")
    name, _, data = picture.partition(b":")
    if name == b"end":
        ends += 1
        continue
    began = time.time()
    for at in range(0, len(data), 16_384):
        time.sleep(0.025)
    say(f"stored {name.decode()} {len(data) // 1000} kB in {time.time() - began:.2f} s")
say("cards complete")
