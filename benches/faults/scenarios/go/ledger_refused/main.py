r"""
fault = "The ledger service listens no more; the settlement cannot connect to it, tries three times and ends. The two other services answer."
kind = "refused"
outcome = "failed"
cause = [
  { file = "*.log", text = 'connection refused', which = "all" },
]
subject = ["service ledger"]
innocent = ["service rates"]
shows = 'connection refused'
needs = ["golang-go", "golang-github-sirupsen-logrus-dev"]
program = "go 1.19, logrus 1.9"
"""

import sys

import fault_go

sys.exit(fault_go.run("settle"))
