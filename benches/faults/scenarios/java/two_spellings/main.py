r"""
fault = "Orders are sent to the queue orders.fulfillment, the warehouse listens to orders.fulfilment; the broker makes queues on first use and both stand there."
kind = "misspelt"
outcome = "hangs"
cause = [
  { file = "broker.log", text = 'orders\.fulfil', which = "all" },
]
subject = ["queue orders.fulfillment", "queue orders.fulfilment"]
innocent = ["queue orders.invoice"]
shows = 'orders.fulfillment depth=[1-9]'
needs = ["javac", "liblogback-java"]
program = "java 17, logback 1.2"
stop = "TERM"
seconds = 14
"""

import signal
import subprocess

import fault
import fault_java

command = fault_java.compiled("Broker", fault_java.LOGBACK)
fault.begun()
broker = subprocess.Popen(command)
signal.signal(signal.SIGTERM, lambda *_: broker.terminate())
broker.wait()
