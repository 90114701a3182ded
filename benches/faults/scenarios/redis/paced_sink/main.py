r"""
fault = "One uploader with a slow line takes pictures from a list that holds 12; three fetchers, each much faster, wait for room in it."
kind = "back-pressure"
outcome = "slow"
cause = [{ file = "uploader.log", text = "stored" }, { file = "fetch-*.log", text = "list is full" }]
subject = ["service uploader", "list pictures"]
innocent = ["service fetch-1", "service fetch-2", "service fetch-3"]
on = ["services"]
needs = ["redis-server"]
shows = "list is full"
limit = 100
program = "redis 7.0, redis-py 8.1"
"""

import time

from fault_services import python, redis, stop

server = redis(6393)
began = time.time()
uploader = python("uploader", "uploader.py")
fetchers = [python(f"fetch-{n}", "fetch.py", n) for n in (1, 2, 3)]
for fetcher in fetchers:
    fetcher.wait()
uploader.wait()
print(f"cameras emptied in {time.time() - began:.1f} s")
stop(server)
