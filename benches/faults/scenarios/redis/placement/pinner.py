import logging
import sys
import time

import redis

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s INFO  [pinner] %(message)s", datefmt="%Y-%m-%dT%H:%M:%S%z")
db = redis.Redis(port=6394, decode_responses=True)
labels = {"n1": "ssd", "n2": "disk", "n3": "disk"}
logging.info("labels %s", labels)
time.sleep(0.5)
while True:
    place, wanted = db.hgetall("place"), db.hgetall("label")
    wrong = [n for n, label in wanted.items() if labels[place[n]] != label]
    logging.info("%d labelled shards, %d elsewhere", len(wanted), len(wrong))
    for shard in wrong:
        db.hset("place", shard, "n1")
        db.incr("moves")
        logging.info("move shard %s from %s to n1 (label %s)", shard, place[shard], wanted[shard])
    time.sleep(1)
