r"""
fault = "The balancer moves shard 7 off the full host, and the pinner moves it back to the only host with its label, for ever."
kind = "livelock"
outcome = "hangs"
cause = [{ file = "balancer.log", text = "shard 7" }, { file = "pinner.log", text = "shard 7" }]
subject = ["shard 7"]
on = ["services"]
needs = ["redis-server"]
shows = "shard 7 from n1"
stop = "TERM"
seconds = 20
limit = 60
program = "redis 7.0, redis-py 8.1"
"""

import time

import fault
import redis
from fault_services import python, redis as server

server(6394, "--save", "", "--loglevel", "notice")
db = redis.Redis(port=6394, decode_responses=True)
db.hset("place", mapping={n: host for n, host in zip(range(1, 16), ["n2", "n1", "n3", "n1", "n2", "n3", "n2", "n2", "n1", "n3", "n1", "n2", "n3", "n1", "n2"])})
db.hset("bytes", mapping={n: 900 + 37 * (n * 7 % 11) for n in range(1, 16)} | {7: 410})
db.hset("label", mapping={n: "ssd" for n in (2, 4, 7, 9, 11, 14)})
python("balancer", "balancer.py")
python("pinner", "pinner.py")
fault.begun()
quiet, seen = 0, None
while quiet < 10:
    print(f"{time.strftime('%H:%M:%S')} moves {db.get('moves') or 0}, waiting for the cluster to settle")
    now = db.get("moves")
    quiet, seen = quiet + 1 if now == seen else 0, now
    time.sleep(1)
print("settled")
