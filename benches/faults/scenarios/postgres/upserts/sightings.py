import logging
import random
import sys
import time

import psycopg
from psycopg import IsolationLevel, errors

site = sys.argv[1]
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(levelname)s [%(name)s] %(message)s")
log = logging.getLogger(site)
logging.getLogger("psycopg").setLevel(logging.ERROR)
db = psycopg.connect("host=127.0.0.1 port=5440 user=postgres dbname=postgres", application_name=site)
db.isolation_level = IsolationLevel.SERIALIZABLE
species = ["knot", "dunlin", "curlew", "avocet", "gannet", "eider", "teal", "smew"]
again = 0
for n in range(1, 31):
    name = random.choice(species)
    try:
        db.execute("INSERT INTO species (name) VALUES (%s)", (name,))
        db.commit()
        log.info("new species %s", name)
    except (errors.UniqueViolation, errors.SerializationFailure):
        db.rollback()
    while True:
        try:
            db.execute("INSERT INTO sightings (name, at, note) VALUES (%s, %s, %s)", (name, site, "x" * 60_000))
            seen = db.execute("SELECT count(*) FROM sightings WHERE name = %s", (name,)).fetchone()[0]
            time.sleep(random.uniform(0.005, 0.02))
            db.execute("UPDATE species SET seen = %s WHERE name = %s", (seen, name))
            db.commit()
            break
        except errors.SerializationFailure:
            db.rollback()
            again += 1
    if n % 10 == 0:
        log.info("%d of 30 written, %d written again after a conflict", n, again)
    time.sleep(random.uniform(0.02, 0.12))
log.info("finished")
