import json
import logging
import random
import sys
import time

import grpc

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s.%(msecs)03d INFO client: %(message)s", datefmt="%Y-%m-%dT%H:%M:%S")
channel = grpc.insecure_channel("127.0.0.1:5741")
quote = channel.unary_unary("/shop.orders/Quote", lambda o: json.dumps(o).encode(), json.loads)
customers = [f"c{random.randint(1000, 1999)}" for _ in range(24)] + ["c5120"] + [f"c{random.randint(1000, 1999)}" for _ in range(8)]
for n, customer in enumerate(customers, 1):
    logging.info("quote %d for %s", n, customer)
    logging.info("quote %d: %d", n, quote({"customer": customer, "pieces": random.randint(1, 9)})["total"])
    time.sleep(0.1)
