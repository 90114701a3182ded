r"""
fault = "a second run is started in the same folder and empties the scratch folder at its start, as it always does, so that the first run misses its intermediate files"
kind = "two-instances"
outcome = "failed"
cause = [
    { file = "campaign.log", text = "scratch: removed [1-9]\\d* old", which = "last" },
    { file = "campaign.log", text = "campaign b: begin", which = "all" },
]
subject = ["campaign b", { class = "pid", file = "campaign.log", text = "\\((\\d+)\\) campaign b: begin" }]
innocent = ["campaign a"]
shows = "FileNotFoundError"
limit = 240
"""
import logging
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import fault
import parsl
import pool
from parsl import python_app

NAME = sys.argv[1] if len(sys.argv) > 1 else "a"
SCRATCH = Path("../scratch").resolve()
logging.basicConfig(filename="campaign.log", level=logging.INFO, format="%(asctime)s (%(process)d) campaign " + NAME + ": %(message)s")
log = logging.getLogger("campaign")


@python_app
def relax(name, n, scratch):
    import random
    import time
    time.sleep(random.uniform(1.7, 2.3))
    with open(f"{scratch}/{n:03}.xyz", "w") as file:
        file.write(f"{n}\n{random.random()}\n")
    return f"{scratch}/{n:03}.xyz"


@python_app
def score(path):
    import time
    time.sleep(3)
    with open(path) as file:
        return float(file.read().split()[1])


log.info("begin, molecules %s", "0-5" if NAME == "a" else "100-102")
SCRATCH.mkdir(exist_ok=True)
old = sorted(SCRATCH.iterdir())
for path in old:
    path.unlink()
log.info("scratch: removed %d old files", len(old))
first, last = (0, 6) if NAME == "a" else (100, 103)
parsl.set_file_logger(f"parsl-{NAME}.log", level=logging.INFO)
logging.getLogger("parsl").propagate = False
with parsl.load(pool.config(fault.htex(workers=2), initialize_logging=False)):
    scores = []
    paths = [relax(NAME, n, str(SCRATCH)) for n in range(first, last)]
    for n, path in enumerate(paths, first):
        path.result()
        log.info("molecule %d relaxed", n)
        if NAME == "a" and n == 0:
            subprocess.Popen([sys.executable, __file__, "b"], stdout=open("b.out", "w"), stderr=open("b.err", "w"))
    scores = [score(path) for path in paths]
    good = []
    for n, value in enumerate(scores, first):
        try:
            good.append((value.result(), n))
        except Exception as error:
            print(f"molecule {n}: {type(error).__name__}: {error}", file=sys.stderr)
    log.info("%d of %d scored", len(good), len(scores))
    print(f"campaign {NAME}: {len(good)} of {len(scores)} molecules scored")
if NAME == "a":
    while fault.processes("workflow.py b"):
        time.sleep(0.5)
