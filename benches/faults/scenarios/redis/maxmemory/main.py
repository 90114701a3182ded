r"""
fault = "The store may use 4 MB and evicts nothing; the series of the sensors need more, and writes are refused."
kind = "resource"
outcome = "failed"
cause = [{ file = "ingest.log", text = "not allowed when used memory" }]
subject = []
innocent = ["service dashboard"]
on = ["services"]
needs = ["redis-server"]
shows = "not allowed when used memory"
limit = 60
program = "redis 7.0, redis-py 8.1"
"""

import sys

from fault_services import python, redis, stop

server = redis(6396, "--maxmemory", "4mb", "--maxmemory-policy", "noeviction", "--save", "")
dashboard = python("dashboard", "dashboard.py")
status = python("ingest", "ingest.py").wait()
print(f"ingest ended with status {status}", file=sys.stderr)
stop(dashboard, server)
sys.exit(status)
