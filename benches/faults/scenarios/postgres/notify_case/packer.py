import logging
import sys

import psycopg

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s.%(msecs)03d INFO packer %(message)s", datefmt="%d.%m.%Y %H:%M:%S")
db = psycopg.connect("host=127.0.0.1 port=5433 user=postgres dbname=postgres", autocommit=True, application_name="packer")
for channel in ("orderPaid", "stock_low"):
    db.execute(f"LISTEN {channel}")
logging.info("channels %s", ", ".join(name for name, in db.execute("SELECT pg_listening_channels()")))
for note in db.notifies():
    if note.channel == "stock_low":
        item = note.payload
        db.execute("UPDATE stock SET n = n + 25 WHERE item = %s", (item,))
        logging.info("reordered 25 of %s", item)
    else:
        db.execute("UPDATE orders SET state = 'packed', parcels = 1 WHERE id = %s", (int(note.payload),))
        logging.info("order %s packed", note.payload)
