r"""
fault = "the rows are parted by airport, and one airport has two thirds of all rows, so that its part takes much longer than the others together"
kind = "straggler"
outcome = "slow"
cause = [{ file = "delays.log", text = "ATL.*(rows|s$)" }]
subject = ["part ATL", "airport ATL"]
innocent = ["part ORD", "part DEN"]
shows = "8 parts"
"""
import random
import time
from pathlib import Path

import joblib
from loguru import logger

ROWS = {"ORD": 5200, "DEN": 4700, "ATL": 61000, "BOS": 2100, "SEA": 3900, "SFO": 4100, "LAX": 5600, "MIA": 3300}


def delays(airport, rows):
    logger.remove()
    logger.add("delays.log", format="{time:YYYY-MM-DD HH:mm:ss.SSS} | {level: <8} | {process} | {message}", enqueue=False)
    logger.info("{}: {} rows of 2026-10", airport, rows)
    begun = time.time()
    for n in range(0, rows, 100):
        time.sleep(0.02)
        if n and n % 20000 == 0:
            logger.info("{}: {} rows joined with weather", airport, n)
    logger.success("{}: {} rows, mean delay {:.1f} min, {:.1f} s", airport, rows, random.uniform(4, 19), time.time() - begun)
    return airport, rows


if __name__ == "__main__":
    begun = time.time()
    parts = joblib.Parallel(n_jobs=4, verbose=10)(joblib.delayed(delays)(a, r) for a, r in ROWS.items())
    print(f"{len(parts)} parts, {sum(r for _, r in parts)} rows after {time.time() - begun:.1f} s")
