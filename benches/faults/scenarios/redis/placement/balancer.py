import collections
import logging
import sys
import time

import redis

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s INFO  [balancer] %(message)s", datefmt="%Y-%m-%dT%H:%M:%S%z")
db = redis.Redis(port=6394, decode_responses=True)
while True:
    place = db.hgetall("place")
    size = {n: int(b) for n, b in db.hgetall("bytes").items()}
    counts = collections.Counter(place.values())
    most, least = counts.most_common()[0][0], counts.most_common()[-1][0]
    logging.info("shards %s", " ".join(f"{h}={counts[h]}" for h in sorted(counts)))
    if counts[most] - counts[least] >= 2:
        shard = min((n for n, h in place.items() if h == most), key=size.get)
        db.hset("place", shard, least)
        db.incr("moves")
        logging.info("move shard %s from %s to %s (%d MB)", shard, most, least, size[shard])
    time.sleep(1)
