r"""
fault = "Shard 3 of six answers in most of a second, the others in some tens of milliseconds; each query needs all of them."
kind = "straggler"
outcome = "slow"
cause = [
  { file = "shard-3.log", text = 'took=', which = "all" },
]
subject = ["shard-3.log", "shard 3"]
shows = '25 queries'
needs = ["golang-go"]
program = "go 1.19"
"""

import sys

import fault_go

sys.exit(fault_go.run("search"))
