r"""
fault = "spectra wait for the event `response-blue` that a task of the blue arm is to set; the program submits the response of the red and the infrared arm alone; killed after 15 s"
kind = "no-producer"
outcome = "hangs"
on = ["dask-2026.8.0", "dask-2022.12.1"]
cause = [{ file = "reduction.log", text = "response (tasks|of)" }, { file = "worker-*.log", text = "blue.* waits? for response-blue" }]
subject = ["event response-blue", "arm blue", "task response-blue"]
innocent = ["arm red", "arm nir"]
stop = "KILL"
seconds = 15
"""
import logging

import fault
import grid
from distributed import Client, as_completed

logging.basicConfig(filename="reduction.log", level=logging.INFO, format="%(asctime)s %(levelname)-8s %(message)s", datefmt="%Y/%m/%d %H:%M:%S")
log = logging.getLogger("reduction")


def response(arm):
    import logging
    import time
    from distributed import Event
    time.sleep(1)
    logging.getLogger("spectra").info("response of %s fitted, rms 0.0%d", arm, len(arm))
    Event(f"response-{arm}").set()
    return arm


def calibrate(arm, n):
    import logging
    import time
    from distributed import Event, secede
    log = logging.getLogger("spectra")
    secede()
    log.info("%s %02d waits for response-%s", arm, n, arm)
    Event(f"response-{arm}").wait()
    time.sleep(0.2)
    log.info("%s %02d calibrated", arm, n)
    return arm, n


ARMS = ["blue", "red", "nir"]
STANDARDS = {"red": "Feige110", "nir": "HR7950"}
cluster = grid.Cluster("spectra", workers=2, form="%(asctime)s | %(levelname)s | %(name)s | %(message)s")
with Client(cluster.address) as client:
    client.wait_for_workers(2, timeout=60)
    fits = client.map(response, sorted(STANDARDS))
    log.info("response tasks: %s", ", ".join(f"{arm} ({star})" for arm, star in sorted(STANDARDS.items())))
    spectra = [client.submit(calibrate, arm, n) for n in range(5) for arm in ARMS]
    log.info("%d spectra of %d arms submitted", len(spectra), len(ARMS))
    fault.begun()
    for count, future in enumerate(as_completed(spectra), 1):
        log.info("%d of %d calibrated (%s %02d)", count, len(spectra), *future.result())
