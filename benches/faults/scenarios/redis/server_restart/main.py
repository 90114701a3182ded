r"""
fault = "none: the server is restarted for maintenance in the middle of the run; clients wait, connect again, and all messages arrive."
kind = "healthy-retries"
outcome = "healthy"
on = ["services"]
needs = ["redis-server"]
shows = "delivered 120 of 120"
limit = 80
program = "redis 7.0, redis-py 8.1"
"""

import time

from fault_services import python, redis, stop

keep = ("--appendonly", "yes", "--save", "60 1")
server = redis(6397, *keep)
writer, readers = python("writer", "chat.py", "write"), [python(f"reader-{n}", "chat.py", "read", n) for n in (1, 2)]
time.sleep(5)
print("maintenance: restarting redis")
stop(server)
time.sleep(8)
server = redis(6397, *keep, log="redis.2")
print("maintenance: redis is back")
for program in (writer, *readers):
    program.wait()
stop(server)
