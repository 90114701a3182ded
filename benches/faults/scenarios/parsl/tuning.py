r"""
fault = "none: a search of parameters in which some points diverge or are out of the domain; the program counts them and goes on, as it is meant to"
kind = "healthy-failures"
outcome = "healthy"
on = ["parsl-2026.10.26", "parsl-2025.5.26"]
shows = "best step 0.0500"
limit = 240
"""
import logging

import fault
import parsl
import pool
from parsl import python_app

logging.basicConfig(filename="tuning.log", level=logging.INFO, format="%(asctime)s,%(name)s,%(levelname)s,%(message)s")
logging.getLogger("parsl").propagate = False
log = logging.getLogger("tuning")


@python_app
def descend(step, momentum):
    import math
    import time
    time.sleep(0.2)
    x, v = 3.0, 0.0
    for _ in range(400):
        v = momentum * v - step * 2 * x
        x += v
        if abs(x) > 1e6:
            raise OverflowError(f"loss {x * x:.2e} at step {step}")
    return math.log10(x * x + 1e-300)


parsl.set_file_logger("parsl.log", level=logging.INFO)
with parsl.load(pool.config(fault.htex(workers=2), initialize_logging=False)):
    trials = {(step, m): descend(step, m) for step in (0.01, 0.05, 1.1, 1.6) for m in (0.0, 0.5, 0.9)}
    scores, diverged = {}, 0
    for (step, m), trial in trials.items():
        try:
            scores[step, m] = trial.result()
            log.info("step %.4f momentum %.1f: log loss %.2f", step, m, scores[step, m])
        except OverflowError as error:
            diverged += 1
            log.info("step %.4f momentum %.1f: diverged (%s), counted as inf", step, m, error)
    log.info("%d trials, %d diverged; next round around the best", len(trials), diverged)
best = min((k for k in scores if k[0] == 0.05), key=scores.get)
print(f"best step {best[0]:.4f}")
