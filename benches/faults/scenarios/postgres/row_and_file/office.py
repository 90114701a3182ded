import fcntl
import logging
import random
import sys
import time

import psycopg

me = sys.argv[1]
logging.basicConfig(stream=sys.stdout, level=logging.DEBUG, format="%(asctime)s %(levelname)-5s " + me + " - %(message)s")
logging.getLogger("psycopg").setLevel(logging.INFO)
db = psycopg.connect("host=127.0.0.1 port=5434 user=postgres dbname=postgres", application_name=me)
spool = open("../spool", "w")


def next_number(name):
    return db.execute("UPDATE counter SET n = n + 1 WHERE name = %s RETURNING n", (name,)).fetchone()[0]


def invoicer():
    for _ in range(100):
        number = next_number("invoice")
        logging.debug("invoice %d: opening spool", number)
        time.sleep(random.uniform(0.1, 0.2))
        fcntl.flock(spool, fcntl.LOCK_EX)
        logging.info("invoice %d: printed, %d pages", number, random.randint(1, 4))
        fcntl.flock(spool, fcntl.LOCK_UN)
        db.commit()
        time.sleep(random.uniform(0.1, 0.3))


def exporter():
    for day in range(1, 100):
        time.sleep(random.uniform(1.2, 1.6))
        files = 0 if day < 4 else random.randint(3, 9)
        logging.info("day %d: %d files to export", day, files)
        if not files:
            continue
        fcntl.flock(spool, fcntl.LOCK_EX)
        logging.debug("day %d: spool closed for the export", day)
        time.sleep(0.6)
        logging.debug("day %d: taking a number", day)
        number = next_number("invoice")
        logging.info("day %d: exported as %d", day, number)
        fcntl.flock(spool, fcntl.LOCK_UN)
        db.commit()


def mailer():
    for _ in range(1000):
        number = next_number("letter")
        db.execute("INSERT INTO letters (sent) VALUES (now())")
        db.commit()
        logging.info("letter %d sent", number)
        time.sleep(0.7)


{"invoicer": invoicer, "exporter": exporter, "mailer": mailer}[me]()
