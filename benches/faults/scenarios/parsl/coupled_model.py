r"""
fault = "at the fourth step, where the atmosphere takes the sea surface of the same step, ocean, ice and atmosphere wait for each other in a ring; killed after 11 s"
kind = "deadlock"
outcome = "hangs"
on = ["parsl-2024.6.3"]
cause = [
    { file = "atm.log", text = "step 4: .*sst", which = "last" },
    { file = "ocn.log", text = "step 4: .*flux", which = "last" },
    { file = "ice.log", text = "step 4: .*wind", which = "last" },
]
subject = ["component atm", "component ocn", "component ice", "task 2", "task 3", "task 4"]
innocent = ["task 5"]
stop = "KILL"
seconds = 11
limit = 240
"""
import logging
from pathlib import Path

import fault
import parsl
import pool
from parsl import python_app


@python_app
def remap(name):
    import time
    time.sleep(0.4)
    return f"{name}.weights"


@python_app
def component(name, needs, gives, lag, exchange, steps, inputs=()):
    import logging
    import os
    import random
    import time
    log = logging.getLogger(name)
    handler = logging.FileHandler(f"{name}.log")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)-5s %(name)s %(message)s"))
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.info("grid read, %d weights, coupling to %s", len(inputs), exchange)
    for step in range(1, steps + 1):
        of = step - lag if step % 4 else step
        field = f"{exchange}/{needs}.{of:04}"
        log.info("step %d: get %s", step, os.path.basename(field))
        while of and not os.path.exists(field):
            time.sleep(0.05)
        time.sleep(random.uniform(0.2, 0.4))
        open(f"{exchange}/{gives}.{step:04}", "w").close()
        log.info("step %d: put %s.%04d mean %.3f", step, gives, step, random.gauss(0, 1))
    return name


@python_app
def archive(inputs=()):
    return len(inputs)


exchange = Path("../exchange")
exchange.mkdir()
parsl.set_file_logger("parsl.log", level=logging.INFO)
with parsl.load(pool.config(fault.htex(workers=4), initialize_logging=False)):
    weights = [remap(pair) for pair in ("atm-ocn", "ocn-ice")]
    where = str(exchange.resolve())
    parts = [
        component("atm", "sst", "wind", 1, where, 12, inputs=weights),
        component("ocn", "flux", "sst", 0, where, 12, inputs=weights),
        component("ice", "wind", "flux", 0, where, 12, inputs=weights),
    ]
    done = archive(inputs=parts)
    fault.results(weights)
    fault.begun()
    print(done.result(), "components archived")
