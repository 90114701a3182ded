import random
import sys
import time

import psycopg

me = f"web-{sys.argv[1]}"
db = psycopg.connect("host=127.0.0.1 port=5435 user=postgres dbname=postgres", autocommit=True, application_name=me)
print(f"{time.strftime('%H:%M:%S')} {me} started", flush=True)
while True:
    page, began = f"p{random.randint(0, 39)}", time.time()
    db.execute("INSERT INTO visits (page) VALUES (%s)", (page,))
    print(f"{time.strftime('%H:%M:%S')} {me} GET /{page} 200 {1000 * (time.time() - began):.0f} ms", flush=True)
    time.sleep(random.uniform(0.15, 0.35))
