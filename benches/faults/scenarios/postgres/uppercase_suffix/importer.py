import time
from pathlib import Path

import psycopg

say = lambda text: print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} importer[231]: {text}", flush=True)
with psycopg.connect("host=127.0.0.1 port=5436 user=postgres dbname=postgres") as db:
    for path in sorted(Path("../inbox").glob("*.csv")):
        with db.cursor().copy("COPY meters FROM STDIN (FORMAT csv)") as copy:
            copy.write(path.read_bytes())
        db.commit()
        say(f"loaded {path.name} {path.read_text().count(chr(10))} rows")
        time.sleep(0.1)
    say(f"{db.execute('SELECT count(*) FROM meters').fetchone()[0]} rows in meters, import complete")
