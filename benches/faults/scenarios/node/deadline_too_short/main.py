r"""
fault = "The gateway gives the pricing service 400 ms; that needs 450 to 700 ms for each answer, so pages are served without prices, all at level INFO."
kind = "timeout"
outcome = "failed"
cause = [
  { file = "gateway.log", text = 'deadline', which = "all" },
  { file = "pricing.log", text = '"responseTime":[4-9]\d\d', which = "all" },
]
subject = ["service pricing", "pricing.log"]
innocent = ["service stock"]
shows = '[1-9]\d of 36 pages without price'
needs = ["node"]
program = "node 20"
"""

import sys

import fault_node

sys.exit(fault_node.run("../gateway.js"))
