r"""
fault = "the settings are read from the home folder (an old file with one worker and the small catalogue), as the project's own file is in another folder than the working folder"
kind = "wrong-config"
outcome = "slow"
on = ["parsl-2026.10.26", "parsl-2024.6.3"]
cause = [{ file = "survey.log", text = "settings from|workers_per_node" }]
subject = ["file survey.ini", "setting workers_per_node"]
shows = "12 fields"
limit = 240
"""
import configparser
import logging
import os
import time
from pathlib import Path

import fault
import parsl
import pool
from parsl import python_app

logging.basicConfig(filename="survey.log", level=logging.INFO, format="%(levelname).1s %(asctime)s %(name)s] %(message)s")
logging.getLogger("parsl").propagate = False
log = logging.getLogger("survey")


@python_app
def extract(field, catalogue):
    import random
    import time
    time.sleep(random.uniform(0.4, 0.7))
    return field, random.randint(900, 1400)


Path.home().joinpath(".survey.ini").write_text("[pool]\nworkers_per_node = 1\n[input]\ncatalogue = gaia-small\n")
Path("../survey.ini").write_text("[pool]\nworkers_per_node = 8\n[input]\ncatalogue = gaia-dr3\n")
settings = configparser.ConfigParser()
for path in (Path("survey.ini"), Path.home() / ".survey.ini"):
    if settings.read(path):
        log.info("settings from %s", str(path).replace(str(Path.home()), "~"))
        break
workers, catalogue = settings.getint("pool", "workers_per_node"), settings["input"]["catalogue"]
log.info("allocation: 1 node, 8 cores, walltime 00:10:00")
log.info("workers_per_node=%d catalogue=%s fields=12", workers, catalogue)
parsl.set_file_logger("parsl.log", level=logging.INFO)
with parsl.load(pool.config(fault.htex(workers=workers), initialize_logging=False)):
    begun = time.time()
    for n, future in enumerate([extract(f"J{1200 + 7 * n}", catalogue) for n in range(12)], 1):
        field, sources = future.result()
        log.info("field %s: %d sources (%d of 12, %.0f s)", field, sources, n, time.time() - begun)
    log.info("12 fields in %.0f s", time.time() - begun)
print("12 fields")
