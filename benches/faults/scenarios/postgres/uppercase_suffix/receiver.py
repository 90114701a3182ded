import random
import time
from pathlib import Path

say = lambda text: print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} sftp-receiver[220]: {text}", flush=True)
say("inbox open")
for region in range(1, 13):
    name = f"region-{region:02}.{'CSV' if region == 7 else 'csv'}"
    rows = [
        f"{region},{region * 1000 + meter},2026-10-{day:02},{random.uniform(4, 19):.2f}"
        for meter in range(random.randint(20, 40)) for day in range(1, 32)
    ]
    Path("../inbox", name).write_text("\n".join(rows) + "\n")
    say(f"closed {name} {sum(map(len, rows)) + len(rows)} bytes from grid{region:02}")
    time.sleep(random.uniform(0.1, 0.4))
say("12 files since midnight")
