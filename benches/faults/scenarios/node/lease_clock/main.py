r"""
fault = "The clock of host n2 is 95 s ahead of the others; leases carry an absolute end 60 s after they are given, so n2 finds each of its leases already over and hands it back."
kind = "clock"
outcome = "slow"
cause = [
  { file = "n2.log", text = 'handed back', which = "all" },
  { file = "n2.log", text = 'lease .* until', which = "all" },
]
subject = ["host n2", "n2.log"]
innocent = ["host n1", "host n3", "host n4"]
shows = 'n2 .*0 done'
needs = ["node", "faketime"]
program = "node 20"
"""

import os
import subprocess
import sys
from pathlib import Path

import fault

coordinator = subprocess.Popen(["node", "../coordinator.js"])
fault.wait_for("listening", "coordinator.log")
port = Path("../port").read_text()
agents = []
for name in ("n1", "n2", "n3", "n4"):
    ahead = ["faketime", "-f", "+95s"] if name == "n2" else []
    variables = os.environ | {"FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    agents.append(subprocess.Popen([*ahead, "node", "../agent.js", name, port], env=variables))
coordinator.wait()
for agent in agents:
    agent.wait()
sys.exit(coordinator.returncode)
