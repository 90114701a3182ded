r"""
fault = "The stations publish wind and humidity; nobody publishes the pressure that the join of a minute also needs."
kind = "no-producer"
outcome = "hangs"
cause = [
    { file = "station-*.log", text = "publishing" },
    { file = "join.log", text = "needs wind, humidity, pressure" },
]
subject = ["topic pressure"]
innocent = ["topic wind", "topic humidity"]
on = ["services"]
shows = "needs wind, humidity, pressure"
stop = "TERM"
seconds = 12
limit = 60
program = "pyzmq 27.3"
"""

import fault
from fault_services import python

join = python("join", "join.py")
for name, port in (("north", 5721), ("pier", 5722), ("ridge", 5723)):
    python(f"station-{name}", "station.py", name, port)
fault.begun()
join.wait()
