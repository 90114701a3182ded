r"""
fault = "Two controllers set the replicas of the same deployment, each to its own idea; both work without end and the rollout never settles."
kind = "livelock"
outcome = "hangs"
cause = [
  { file = "*.log", text = 'deployment=checkout', which = "all" },
]
subject = ["deployment checkout"]
innocent = ["deployment cart", "deployment search"]
shows = 'rollout of checkout not settled'
needs = ["golang-go", "golang-github-sirupsen-logrus-dev"]
program = "go 1.19, logrus 1.9"
stop = "KILL"
seconds = 13
"""

import subprocess

import fault
import fault_go

program = fault_go.built("cluster")
fault.begun()
subprocess.run([program])
