r"""
fault = "six replicas meet at a barrier, but the pool has five workers: the sixth gets none, as the others wait in theirs; killed after 15 s"
kind = "barrier"
outcome = "hangs"
on = ["parsl-2025.5.26"]
cause = [{ file = "md/replica_*.log", text = "5 of 6" }]
subject = ["replica 5", "task 11"]
innocent = ["replica 0", "replica 1", "replica 2", "replica 3", "replica 4"]
stop = "KILL"
seconds = 15
limit = 240
"""
import logging
from pathlib import Path

import fault
import parsl
import pool
from parsl import python_app


@python_app
def minimise(replica):
    import random
    import time
    time.sleep(random.uniform(0.3, 0.8))
    with open("md/minimise.log", "a") as log:
        log.write(f"replica {replica}: Fmax {random.uniform(200, 900):.1f} kJ/mol/nm after {random.randint(80, 300)} steps\n")
    return replica


@python_app
def propagate(replica, replicas, rounds, folder, start):
    import logging
    import os
    import random
    import time
    log = logging.getLogger(f"remd.{replica}")
    handler = logging.FileHandler(f"md/replica_{replica}.log")
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(levelname)s: %(message)s"))
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    temperature = 300 * 1.04 ** replica
    log.info("T = %.1f K, %d rounds of 5000 steps", temperature, rounds)
    for step in range(rounds):
        time.sleep(random.uniform(0.4, 0.8))
        log.info("round %d: Epot %.1f kJ/mol", step, random.gauss(-81234, 60))
        open(f"{folder}/{step}.{replica}", "w").close()
        turns = 0
        while (here := sum(name.startswith(f"{step}.") for name in os.listdir(folder))) < replicas:
            if turns % 30 == 0:
                log.info("round %d: %d of %d at exchange", step, here, replicas)
            turns += 1
            time.sleep(0.1)
        log.info("round %d: exchanged with %d, p %.2f", step, replica ^ 1, random.random())
    return replica


folder = Path("../exchange")
folder.mkdir()
Path("md").mkdir()
parsl.set_file_logger("parsl.log", level=logging.INFO)
with parsl.load(pool.config(fault.htex(workers=5), initialize_logging=False)):
    ready = [minimise(n) for n in range(6)]
    fault.results(ready)
    runs = [propagate(n, 6, 8, str(folder.resolve()), ready[n]) for n in range(6)]
    fault.begun()
    fault.results(runs)
