r"""
fault = "a janitor of the node ends processes that have not touched their file in `alive` for 5 s; the one whose task waits 12 s for an answer of the tape archive is such a process"
kind = "watchdog"
outcome = "failed"
on = ["parsl-2025.5.26"]
cause = [{ file = "janitor.log", text = "pid \\d+ .*KILL" }]
subject = [{ class = "pid", file = "janitor.log", text = "pid (\\d+) .*KILL" }, "task 3", "granule MOD02083"]
innocent = ["task 4", "granule MOD02084"]
shows = "8 of 9"
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

ALIVE = Path("../alive").resolve()


@python_app
def stage(granule, alive):
    import logging
    import os
    import time
    log = logging.getLogger("stage")
    if not log.handlers:
        handler = logging.FileHandler(f"stage-{os.environ.get('PARSL_WORKER_RANK', '0')}.log")
        handler.setFormatter(logging.Formatter("%(asctime)s | %(process)d | %(levelname)s | %(message)s"))
        log.addHandler(handler)
        log.setLevel(logging.INFO)
    mark = f"{alive}/{os.getpid()}"
    log.info("granule MOD%05d asked for, on %s", granule, "tape" if granule == 2083 else "disk")
    open(mark, "w").close()
    time.sleep(12 if granule == 2083 else 0.3)
    for part in range(3):
        os.utime(mark)
        time.sleep(0.2)
    os.unlink(mark)
    log.info("granule MOD%05d staged, %d bytes", granule, granule * 4099)
    return granule


def janitor():
    with open("janitor.log", "a", buffering=1) as log:
        def say(text):
            log.write(f"{time.strftime('%b %d %H:%M:%S')} node1 janitor[312]: {text}\n")

        say("interval 1 s, alive limit 5 s, user ana")
        for turn in range(1, 1000):
            marks = list(ALIVE.iterdir())
            for mark in marks:
                try:
                    quiet = time.time() - mark.stat().st_mtime
                    if quiet > 5:
                        os.kill(int(mark.name), signal.SIGKILL)
                        mark.unlink()
                        say(f"pid {mark.name} python3 alive {quiet:.0f} s ago, KILL sent")
                except OSError:
                    pass
            if turn % 4 == 0:
                say(f"{len(marks)} processes of ana watched")
            time.sleep(1)


ALIVE.mkdir()
threading.Thread(target=janitor, daemon=True).start()
parsl.set_file_logger("parsl.log", level=logging.INFO)
with parsl.load(pool.config(fault.htex(workers=2), initialize_logging=False)):
    fault.results([stage(2080 + n, str(ALIVE)) for n in range(9)])
