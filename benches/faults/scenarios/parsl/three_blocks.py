r"""
fault = "of three blocks with one worker each, the second one's node is busy with other work, so that its tiles take ten times as long"
kind = "straggler"
outcome = "slow"
cause = [{ file = "tiles.log", text = "block 1 .* [2-9]\\d?\\.\\d+ s" }]
subject = ["block 1"]
innocent = ["block 0", "block 2"]
shows = "27 of 27"
limit = 240
"""
import logging
import os
import signal
import threading
import time
from pathlib import Path

import fault
import parsl
import pool
from parsl import python_app


@python_app
def render(tile):
    import os
    import time
    begun, x = time.time(), float(tile)

    for band in range(10):
        time.sleep(0.05)
        for n in range(20_000):
            x += n ** 0.5
    block = os.environ.get("PARSL_WORKER_BLOCK_ID", "?")
    with open("tiles.log", "a") as log:
        log.write(f"{time.strftime('%H:%M:%S')} render: tile {tile:02} on block {block} rms {x % 7:.3f} in {time.time() - begun:.2f} s\n")
    return tile


def children(pid):
    return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def busy():
    while True:
        try:
            pools = fault.processes(r"python\S* \S*process_worker_pool.*--block_id[= ]1\b")
            for pid in [c for pool in pools for c in children(pool)]:
                os.kill(pid, signal.SIGSTOP)
            time.sleep(0.8)
            for pid in [c for pool in pools for c in children(pool)]:
                os.kill(pid, signal.SIGCONT)
            time.sleep(0.03)
        except OSError:
            pass


parsl.set_file_logger("parsl.log", level=logging.INFO)
with parsl.load(pool.config(fault.htex(workers=1, blocks=3), initialize_logging=False)):
    fault.results([render(n) for n in range(3)])
    time.sleep(3)
    threading.Thread(target=busy, daemon=True).start()
    begun = time.time()
    tiles = [render(n) for n in range(3, 30)]
    fault.results(tiles)
    print(f"mosaic of 30 tiles after {time.time() - begun:.0f} s")
