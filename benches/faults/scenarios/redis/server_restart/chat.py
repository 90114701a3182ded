import logging
import sys
import time

import redis

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s - %(name)s - %(levelname)s - %(message)s")
role = sys.argv[1]
log = logging.getLogger("".join(sys.argv[1:3]))
db = redis.Redis(port=6397, decode_responses=True)


def stubborn(call, *arguments, **options):
    for attempt in range(1, 20):
        try:
            return call(*arguments, **options)
        except redis.exceptions.ConnectionError as error:
            log.warning("attempt %d: %s; again in 1 s", attempt, error)
            time.sleep(1)
    raise SystemExit("gave up")


def write():
    for n in range(1, 121):
        stubborn(db.rpush, "messages", n)
        if n % 8 == 0:
            log.info("message %d of 120 written", n)
        time.sleep(0.09)
    stubborn(db.rpush, "messages", "end", "end")


def read():
    got = 0
    while True:
        item = stubborn(db.blpop, ["messages"], timeout=5)
        if item and item[1] == "end":
            break
        if item:
            got += 1
            total = stubborn(db.incr, "delivered")
            if total % 10 == 0:
                log.info("delivered %d of 120", total)
    log.info("finished, %d by me", got)


{"write": write, "read": read}[role]()
