r"""
fault = "a frame that the plan names is never taken (the shutter did not open), so the future that its reduction waits for is never resolved; killed after 14 s"
kind = "no-producer"
outcome = "hangs"
cause = [{ file = "camera.log", text = "0417 .*next" }]
subject = ["frame 0417", "exposure 0417", "task 6"]
innocent = ["task 12"]
stop = "KILL"
seconds = 14
limit = 240
"""
import logging
import random
import threading
import time
from concurrent.futures import Future
from pathlib import Path

import fault
import parsl
import pool
from parsl import python_app


def logger(name):
    log = logging.getLogger(name)
    handler = logging.FileHandler(f"{name}.log")
    handler.setFormatter(logging.Formatter("%(asctime)s.%(msecs)03d [%(name)s] %(message)s", "%Y-%m-%dT%H:%M:%S"))
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False
    return log


INCOMING = Path("../incoming")
PLAN = [f"{n:04}" for n in range(411, 423)]


@python_app
def reduce(frame, path):
    import random
    import time
    from pathlib import Path
    time.sleep(0.3)
    level = random.gauss(1012, 4)
    with open("reduce.log", "a") as log:
        log.write(f"{time.strftime('%H:%M:%S')} {Path(path).name}: overscan {level:.1f}, {random.randint(180, 420)} sources, fwhm {random.uniform(1.8, 2.4):.2f}\n")
    return level


@python_app
def stack(inputs=()):
    return sum(inputs) / len(inputs)


def camera():
    log = logger("camera")
    log.info("cooler at -80.1 C, filter r, readout 1 MHz")
    for n in range(411, 423):
        if n == 417:
            log.info("exposure 0417 r 0.0 s of 30.0 s, shutter 0 deg, next")
            time.sleep(0.1)
            continue
        time.sleep(random.uniform(0.2, 0.4))
        (INCOMING / f"{n:04}.fits").write_bytes(bytes(2880))
        log.info("exposure %04d r 30.0 s of 30.0 s, shutter 90 deg, %d counts", n, random.randint(22000, 31000))
    log.info("sequence done, dome closing")


def watcher(arrivals):
    log = logger("watcher")
    seen, turns = set(), 0
    while True:
        for path in sorted(INCOMING.glob("*.fits")):
            if path.stem not in seen:
                seen.add(path.stem)
                log.info("new frame %s (%d bytes)", path.name, path.stat().st_size)
                arrivals[path.stem].set_result(str(path.resolve()))
        turns += 1
        if turns % 20 == 0:
            log.info("%d files in incoming", len(seen))
        time.sleep(0.1)


INCOMING.mkdir()
arrivals = {frame: Future() for frame in PLAN}
with parsl.load(pool.config(fault.htex(workers=2))):
    reduced = [reduce(frame, arrivals[frame]) for frame in PLAN]
    whole = stack(inputs=reduced)
    for target, arguments in ((watcher, (arrivals,)), (camera, ())):
        threading.Thread(target=target, args=arguments, daemon=True).start()
    fault.begun()
    print(f"night level {whole.result():.1f}")
