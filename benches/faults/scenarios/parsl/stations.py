r"""
fault = "the list of neighbours spells a station `hohenpeisenberg`, its file is written as `hohenpeissenberg.csv`: one task waits for ever; killed after 14 s"
kind = "misspelt"
outcome = "hangs"
on = ["parsl-2026.10.26", "parsl-2024.6.3"]
cause = [{ file = "homogenise.log", text = "hohenpeisenberg" }, { file = "fetch.log", text = "hohenpeissenberg" }]
subject = ["station hohenpeisenberg", "station hohenpeissenberg", "file hohenpeisenberg.csv", "series zugspitze", "task 7"]
innocent = ["task 11"]
stop = "KILL"
seconds = 14
limit = 240
"""
import logging
from pathlib import Path

import fault
import parsl
import pool
from parsl import python_app

STATIONS = ["zugspitze", "hohenpeissenberg", "oberstdorf", "garmisch", "augsburg", "kempten"]
NEIGHBOURS = {
    "oberstdorf": ["kempten", "garmisch"],
    "zugspitze": ["garmisch", "hohenpeisenberg"],
    "garmisch": ["zugspitze", "oberstdorf"],
    "augsburg": ["oberstdorf", "kempten"],
    "kempten": ["oberstdorf", "augsburg"],
}


@python_app
def fetch(station, folder):
    import random
    import time
    time.sleep(random.uniform(0.2, 0.9))
    rows = random.randint(20000, 26000)
    with open(f"{folder}/{station}.csv", "w") as file:
        file.write("day,t\n")
    with open("fetch.log", "a") as log:
        log.write(f"{time.strftime('%F %T')} fetched {station}.csv ({rows} daily means)\n")
    return rows


@python_app
def homogenise(station, neighbours, folder):
    import os
    import random
    import time

    def say(text):
        with open("homogenise.log", "a") as log:
            log.write(f"{time.strftime('%F %T')} {station}: {text}\n")

    say("neighbours " + " ".join(neighbours))
    for name in neighbours:
        turns = 0
        while not os.path.exists(f"{folder}/{name}.csv"):
            if turns % 20 == 0:
                say(f"{name}.csv not there yet")
            turns += 1
            time.sleep(0.2)
    time.sleep(0.3)
    say(f"{random.randint(0, 4)} breaks, shift {random.gauss(0, 0.4):+.2f} K")
    return station


@python_app
def grid(inputs=()):
    return len(inputs)


folder = Path("../obs")
folder.mkdir()
where = str(folder.resolve())
parsl.set_file_logger("parsl.log", level=logging.INFO)
with parsl.load(pool.config(fault.htex(workers=3), initialize_logging=False)):
    rows = [fetch(station, where) for station in STATIONS]
    series = [homogenise(station, others, where) for station, others in NEIGHBOURS.items()]
    gridded = grid(inputs=series)
    fault.results(rows)
    fault.begun()
    print(f"{gridded.result()} series on the grid")
