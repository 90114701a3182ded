r"""
fault = "a watchdog thread of the program cancels a solve that has reported no residual for 4 s; the one of the finest mesh needs 6.4 s from residual to residual"
kind = "watchdog"
outcome = "failed"
cause = [{ file = "solver.log", text = "watchdog.*mesh-7.*(cancel|quiet)" }]
subject = ["task mesh-7", "thread watchdog", "mesh 7"]
innocent = ["task mesh-6", "task mesh-5"]
shows = "7 of 8"
"""
import logging
import sys
import threading
import time

import fault
import grid
from distributed import Client, Queue

logging.basicConfig(filename="solver.log", level=logging.INFO, format="%(asctime)s %(threadName)s %(levelname)s %(message)s")
log = logging.getLogger("solver")


def solve(level):
    import logging
    import time
    from distributed import Queue
    residual, step = 1.0, 0
    while residual > 1e-4:
        time.sleep(0.05 * 2 ** level if level > 6 else 0.25)
        step, residual = step + 1, residual / 30
        logging.getLogger("mesh").info("mesh-%d step %d residual %.1e", level, step, residual)
        Queue("residuals").put((f"mesh-{level}", residual))
    return residual


def listen():
    while True:
        try:
            name, residual = reports.get()
        except OSError:
            return
        last[name] = time.time()
        log.info("%s at %.1e", name, residual)


def watch():
    while True:
        time.sleep(1)
        quiet = {name: max(0.0, time.time() - since) for name, since in last.items() if name in solves and not solves[name].done()}
        log.info("%d running: %s", len(quiet), " ".join(f"{name} {s:.0f}s" for name, s in quiet.items()))
        for name, seconds in quiet.items():
            if seconds > 4:
                log.info("%s quiet for %.1f s, cancel", name, seconds)
                solves[name].cancel()


last, solves = {}, {}
cluster = grid.Cluster("mesh", workers=2)
with Client(cluster.address) as client:
    client.wait_for_workers(2, timeout=60)
    reports = Queue("residuals")
    for target, name in ((listen, "reports"), (watch, "watchdog")):
        threading.Thread(target=target, name=name, daemon=True).start()
    for level in range(8):
        solves[f"mesh-{level}"] = client.submit(solve, level, key=f"mesh-{level}")
        last[f"mesh-{level}"] = time.time() + 4
    good = 0
    for name, future in solves.items():
        try:
            log.info("%s converged: %.1e", name, future.result())
            good += 1
        except BaseException as error:
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
    print(f"{good} of {len(solves)} meshes converged")
cluster.end()
sys.exit(good < 8)
