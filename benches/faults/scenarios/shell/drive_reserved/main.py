r"""
fault = "The job of host db2 reserves the tape drive, finds nothing changed and ends without freeing it; all later hosts wait for ever."
kind = "lock"
outcome = "hangs"
cause = [
  { file = "vault.log", text = ' db2: ', which = "last" },
  { file = "vault.log", text = ' db2: drive reserved', which = "all" },
]
subject = ["host db2"]
innocent = ["host mail1", "host files"]
shows = 'files: drive busy'
program = "bash 5.2"
stop = "KILL"
seconds = 13
"""

import subprocess
import time

import fault

HOSTS = ["web1", "web2", "db1", "ldap", "git", "db2", "mail1", "files", "wiki"]

fault.begun()
jobs = []
for host in HOSTS:
    jobs.append(subprocess.Popen(["bash", "../vault.sh", host]))
    time.sleep(0.8)
for job in jobs:
    job.wait()
