import logging
import sys
import time

import psycopg

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s:%(lineno)d %(message)s")
log = logging.getLogger("library.db")
for attempt in range(1, 7):
    try:
        db = psycopg.connect("host=127.0.0.1 port=5439 user=postgres dbname=postgres", connect_timeout=3)
        break
    except psycopg.OperationalError as error:
        log.warning("database is not there yet (%d of 6): %s", attempt, str(error).splitlines()[0])
        time.sleep(1)
else:
    log.error("could not connect to the database in 6 attempts")
    sys.exit(1)
log.info("%d loans", db.execute("SELECT count(*) FROM loans").fetchone()[0])
