r"""
fault = "none: a harvester of library catalogues meets rate limits (429), resets and slow answers, waits as told and gets all pages"
kind = "healthy-retries"
outcome = "healthy"
subject = []
shows = 'harvest complete, 40 pages'
needs = ["node"]
program = "node 20"
"""

import sys

import fault_node

sys.exit(fault_node.run("../harvest.js"))
