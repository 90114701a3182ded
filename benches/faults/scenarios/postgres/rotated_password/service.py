import random
import sys
import time

import psycopg
from loguru import logger

me, secret = sys.argv[1:3]
logger.remove()
logger.add(sys.stdout, format="{time:HH:mm:ss} {level.name[0]} {message}", backtrace=False, diagnose=False)


def connect():
    for attempt in range(1, 5):
        try:
            return psycopg.connect(f"host=127.0.0.1 port=5438 user={me} password={secret} dbname=postgres")
        except psycopg.OperationalError as error:
            logger.warning("attempt {} of 4: {}", attempt, str(error).strip().splitlines()[-1])
            time.sleep(attempt)
    logger.error("no connection as {}, giving up", me)
    sys.exit(4)


logger.info("{} service started", me)
while True:
    with connect() as db:
        books = db.execute("SELECT count(*), sum(price) FROM books WHERE id %% 20 = %s", (random.randint(0, 19),)).fetchone()
    logger.info("{} books, {} in all", *books)
    time.sleep(0.5)
