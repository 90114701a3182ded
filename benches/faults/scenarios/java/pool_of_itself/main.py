r"""
fault = "Orders run in a pool of four threads and each waits for a stock check that is submitted to the same pool; when four come at once no check is ever begun."
kind = "starvation"
outcome = "hangs"
cause = [
  { file = "shop.log", text = 'exec-[1-4]\].*Order (10421|10422|10423|10424): stock check submitted', which = "all" },
]
subject = ["pool exec", "order 10421", "order 10422", "order 10423", "order 10424"]
shows = 'queued=[1-9][0-9]'
needs = ["javac", "liblogback-java"]
program = "java 17, logback 1.2"
stop = "KILL"
seconds = 14
"""

import subprocess

import fault
import fault_java

command = fault_java.compiled("Shop", fault_java.LOGBACK)
fault.begun()
subprocess.run(command)
