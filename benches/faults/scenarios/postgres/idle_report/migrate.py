import time

import psycopg

say = lambda text: print(f"{time.strftime('%H:%M:%S')} migrate {text}", flush=True)
steps = [
    ("0017", "CREATE TABLE campaigns (id serial PRIMARY KEY, name text)"),
    ("0018", "CREATE INDEX campaigns_name ON campaigns (name)"),
    ("0019", "ALTER TABLE visits ADD COLUMN campaign int"),
    ("0020", "CREATE INDEX visits_campaign ON visits (campaign)"),
]
with psycopg.connect("host=127.0.0.1 port=5435 user=postgres dbname=postgres", autocommit=True, application_name="migrate") as db:
    for number, statement in steps:
        say(f"applying {number}: {statement}")
        db.execute(statement)
        say(f"applied {number}")
say("up to date")
