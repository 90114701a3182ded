r"""
fault = "The totals are made from *.csv; the file of one gauge is named GAUGE_114.CSV and is silently left out."
kind = "skipped"
outcome = "failed"
cause = [
  { file = "*.log", text = '(?i)gauge_114', which = "all" },
]
subject = ["GAUGE_114.CSV", "gauge 114"]
shows = 'not published'
"""

import csv
import logging
import random
import sys
import time
from pathlib import Path

logging.basicConfig(filename="rain-totals.log", level=logging.INFO, format="%(asctime)s [%(levelname)s] %(funcName)s: %(message)s")
log = logging.getLogger()
DATA = Path("../incoming")
GAUGES = [101, 103, 104, 107, 108, 110, 111, 112, 114, 117, 118, 120, 123, 125, 126]


def fetch():
    DATA.mkdir()
    for gauge in GAUGES:
        chance = random.Random(gauge)
        name = f"gauge_{gauge}.csv" if gauge != 114 else "GAUGE_114.CSV"
        rows = [(day, hour, round(max(0, chance.gauss(-1, 1.5)), 1)) for day in range(1, 31) for hour in range(24)]
        with open(DATA / name, "w", newline="") as file:
            csv.writer(file).writerows(rows)
        time.sleep(0.1)
        log.info("%s received, %d bytes", name, (DATA / name).stat().st_size)
    log.info("%d files received for 2024-06", len(GAUGES))


def total():
    sums = {}
    for path in sorted(DATA.glob("*.csv")):
        with open(path, newline="") as file:
            rows = [float(rain) for *_, rain in csv.reader(file)]
        sums[path.stem] = sum(rows)
        time.sleep(0.1)
        log.info("%s: %d hours, %.1f mm, longest dry spell %d h", path.name, len(rows), sum(rows), max(map(len, "".join("d" if r == 0 else "." for r in rows).split("."))))
    return sums


def basins(sums):
    for basin, members in (("Upper Ahr", GAUGES[:5]), ("Lower Ahr", GAUGES[5:10]), ("Nette", GAUGES[10:])):
        mean = sum(sums.get(f"gauge_{g}", 0) for g in members) / len(members)
        log.info("basin %s: mean %.1f mm", basin, mean)
    log.info("month 2024-06: %.1f mm over %d gauges", sum(sums.values()), len(sums))


fetch()
sums = total()
basins(sums)
if len(sums) != len(GAUGES):
    log.info("bulletin has %d of %d gauges, not published", len(sums), len(GAUGES))
    sys.exit(1)
