r"""
fault = "Quotes for a customer on account go round: orders asks pricing, pricing asks customers, and customers asks orders, whose only thread waits."
kind = "deadlock"
outcome = "hangs"
cause = [
    { file = "orders.log", text = ".", which = "last" },
    { file = "pricing.log", text = ".", which = "last" },
    { file = "customers.log", text = ".", which = "last" },
]
subject = ["service orders", "service pricing", "service customers"]
innocent = ["service client"]
on = ["services"]
shows = "customers: asking orders"
stop = "TERM"
seconds = 10
limit = 60
program = "grpcio 1.85"
"""

import fault
from fault_services import python, reachable

for name, port in (("orders", 5741), ("pricing", 5742), ("customers", 5743)):
    python(name, "service.py", name)
    reachable(port)
client = python("client", "client.py")
fault.wait_for("customers: asking orders", "customers.log", 40)
fault.begun()
client.wait()
