r"""
fault = "none: a store that writes, compacts and expires; its log has words like errors, failed, dead and corrupt, all with the number 0, and pauses of the writers"
kind = "healthy"
outcome = "healthy"
subject = []
shows = 'closed cleanly'
needs = ["golang-go", "golang-go.uber-zap-dev"]
program = "go 1.19, zap 1.23"
"""

import sys

import fault_go

sys.exit(fault_go.run("store"))
