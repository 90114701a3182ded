r"""
fault = "At a triangle of tracks three of seven trains hold a block each and wait for the next one's: IC612, RE7 and G3108."
kind = "deadlock"
outcome = "hangs"
cause = [
  { file = "interlocking.0.log", text = 'train IC612 ', which = "last" },
  { file = "interlocking.0.log", text = 'train RE7 ', which = "last" },
  { file = "interlocking.0.log", text = 'train G3108 ', which = "last" },
]
subject = ["train IC612", "train RE7", "train G3108"]
innocent = ["train S25"]
shows = 'S25 requests K2'
needs = ["javac"]
program = "java 17, java.util.logging"
stop = "KILL"
seconds = 16
"""

import subprocess

import fault
import fault_java

command = fault_java.compiled("Interlocking")
fault.begun()
subprocess.run(command)
