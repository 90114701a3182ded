import logging
import random
import sys
import time

import psycopg

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s.%(msecs)03d INFO shop %(message)s", datefmt="%d.%m.%Y %H:%M:%S")
db = psycopg.connect("host=127.0.0.1 port=5433 user=postgres dbname=postgres", autocommit=True, application_name="shop")
for order in range(501, 513):
    item, n = random.choice(["lamp", "desk", "chair"]), random.randint(1, 5)
    db.execute("INSERT INTO orders VALUES (%s, 'paid', NULL)", (order,))
    db.execute("SELECT pg_notify('orderPaid', %s)", (str(order),))
    logging.info("order %d paid, %d %s; notified orderPaid", order, n, item)
    left = db.execute("UPDATE stock SET n = n - %s WHERE item = %s RETURNING n", (n, item)).fetchone()[0]
    if left < 10:
        db.execute("SELECT pg_notify('stock_low', %s)", (item,))
        logging.info("%d %s left; notified stock_low", left, item)
    time.sleep(0.3)
logging.info("waiting for parcels of 12 orders")
while (n := db.execute("SELECT count(*) FROM orders WHERE state = 'paid'").fetchone()[0]):
    logging.info("%d orders not packed yet", n)
    time.sleep(1)
logging.info("all packed")
