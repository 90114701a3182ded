r"""
fault = "The site is published by hand while the run of cron is still at work in the same staging folder, which the second run empties first."
kind = "two-instances"
outcome = "failed"
cause = [
  { file = "publish.log", text = 'publish of main begins', which = "all" },
  { file = "publish.log", text = 'staging emptied', which = "last" },
]
subject = [{ class = "pid", file = "publish.log", text = '\((\d+)\) publish of main begins' }]
shows = 'only .* of 26 pages|No such file'
program = "bash 5.2"
"""

import subprocess
import sys
import time

cron = subprocess.Popen(["bash", "../publish.sh", "cron"])
time.sleep(2.1)
hand = subprocess.Popen(["bash", "../publish.sh", "mkoch"])
sys.exit(max(cron.wait(), hand.wait()))
