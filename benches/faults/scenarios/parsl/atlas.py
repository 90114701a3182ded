r"""
fault = "the app keeps every atlas that it reads in a cache that is never emptied; its process grows until the kernel's stand-in kills it"
kind = "leak"
outcome = "failed"
on = ["parsl-2024.6.3"]
cause = [{ file = "register-*.log", text = "rss [3-9]\\d\\d MB" }]
subject = [{ class = "pid", file = "register-*.log", text = "\\[(\\d+)\\] .*rss 5\\d\\d MB" }, "app register"]
shows = "loss of worker"
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

CACHE = '''
import functools
import os

@functools.cache
def atlas(subject):
    return os.urandom(1024) * 60_000
'''


@python_app
def register(subject):
    import logging
    import os
    import random
    import resource
    import time
    from atlases import atlas
    log = logging.getLogger("register")
    if not log.handlers:
        handler = logging.FileHandler(f"register-{os.environ['PARSL_WORKER_RANK']}.log")
        handler.setFormatter(logging.Formatter("%(asctime)s [%(process)d] %(name)s: %(message)s"))
        log.addHandler(handler)
        log.setLevel(logging.INFO)
    volume = atlas(subject)
    time.sleep(0.5)
    rss = int(open("/proc/self/statm").read().split()[1]) * 4 // 1024
    log.info("sub-%02d: mutual information %.3f, %d iterations, %d bytes, rss %d MB", subject, random.uniform(0.8, 1.2), random.randint(20, 60), len(volume), rss)
    return subject


def node(limit):
    while True:
        for pool in fault.processes("process_worker_pool"):
            for pid in Path(f"/proc/{pool}/task/{pool}/children").read_text().split():
                try:
                    if int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 > limit:
                        os.kill(int(pid), signal.SIGKILL)
                except (OSError, IndexError):
                    pass
        time.sleep(0.2)


Path("../lib").mkdir()
Path("../lib/atlases.py").write_text(CACHE)
threading.Thread(target=node, args=(560 << 20,), daemon=True).start()
parsl.set_file_logger("parsl.log", level=logging.INFO)
with parsl.load(pool.config(fault.htex(workers=2, worker_init=f"export PYTHONPATH={Path('../lib').resolve()}:$PYTHONPATH"), initialize_logging=False)):
    fault.results([register(n) for n in range(1, 19)])
