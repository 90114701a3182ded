import time

import psycopg

say = lambda text: print(f"{time.strftime('%H:%M:%S')} report {text}", flush=True)
say("weekly report, 40 pages")
db = psycopg.connect("host=127.0.0.1 port=5435 user=postgres dbname=postgres", application_name="report")
rows = db.execute("SELECT page, count(*) FROM visits GROUP BY page ORDER BY 2 DESC").fetchall()
say(f"{len(rows)} pages read, drawing charts")
for page, n in rows:
    time.sleep(30)
    say(f"chart {page}: {n} visits")
db.commit()
say("done")
