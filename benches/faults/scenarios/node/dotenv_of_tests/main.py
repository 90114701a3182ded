r"""
fault = "The watch of the waterworks reads .env of its working folder, which a rehearsal left there, and not that of the deployment: every pump is over the limit of the rehearsal."
kind = "wrong-config"
outcome = "failed"
cause = [
  { file = "watch.log", text = 'env:', which = "all" },
  { file = "watch.log", text = 'limits:', which = "all" },
]
subject = []
innocent = ["pump P1", "pump P2", "pump P3", "pump P4", "pump P5", "pump P6"]
shows = 'dispatch: 6 pumps'
needs = ["node"]
program = "node 20"
"""

import sys
import time
from pathlib import Path

import fault_node

Path("../deploy").mkdir()
Path("../deploy/.env").write_text("PRESSURE_MAX=9.5\nTEMPERATURE_MAX=80\nSITE=north\n")
Path("../.env").write_text("PRESSURE_MAX=3.0\nTEMPERATURE_MAX=80\nSITE=north\n")
print(time.strftime("%F %T"), "starting the watch of site north, settings in", Path("../deploy/.env").resolve())
sys.exit(fault_node.run("watch.js", cwd=".."))
