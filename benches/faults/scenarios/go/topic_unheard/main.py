r"""
fault = "Tills publish sales, stock and refunds; consumers are started for sales and stock alone, so the buffer of refunds fills up and the tills block one by one."
kind = "no-consumer"
outcome = "hangs"
cause = [
  { file = "tills.jsonl", text = '"topic":"refunds"', which = "all" },
]
subject = ["topic refunds"]
innocent = ["topic sales", "topic stock"]
shows = '"topic":"refunds".*"depth":16'
needs = ["golang-go", "golang-go.uber-zap-dev"]
program = "go 1.19, zap 1.23"
stop = "KILL"
seconds = 14
"""

import subprocess

import fault
import fault_go

program = fault_go.built("pos/tills")
fault.begun()
subprocess.run([program])
