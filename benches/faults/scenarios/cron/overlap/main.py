r"""
fault = "The backup starts every 6 s and needs longer once the photos have grown: two runs use the one staging folder, and the second empties it under the first."
kind = "two-instances"
outcome = "failed"
cause = [
    { file = "syslog", text = "backup\\[\\d+\\]: (run 3 begins|run 4 begins)" },
    { file = "syslog", text = "CRON\\[\\d+\\]: .*backup.sh 4" },
]
subject = ["job backup", "folder staging"]
innocent = ["job rotate"]
on = ["python"]
needs = ["tar"]
shows = "run 4 begins"
limit = 80
program = "cron, GNU tar 1.34"
"""

import random
import subprocess
import time
from pathlib import Path

home = Path("..").resolve()
log = open("syslog", "a", buffering=1)
photos = home / "photos"
photos.mkdir()


def add(n):
    for _ in range(n):
        (photos / f"img{len(list(photos.iterdir())):04}.jpg").write_bytes(random.randbytes(random.randint(3000, 9000)))


add(18)
jobs = []
for minute in range(1, 7):
    began = time.time()
    if minute == 3:
        add(27)
        print(f"{time.strftime('%b %d %H:%M:%S')} nas smbd[301]: 27 files uploaded to photos", file=log)
    for line in ("rotate.sh", f"backup.sh {minute}"):
        job = subprocess.Popen(["sh", *f"../{line}".split()], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        print(f"{time.strftime('%b %d %H:%M:%S')} nas CRON[{job.pid - 1}]: (ana) CMD ({line} >>/var/log/syslog 2>&1)", file=log)
        jobs.append(job)
    if minute < 6:
        time.sleep(began + 6 - time.time())
for job in jobs:
    job.wait()
