r"""
fault = "The handler of refunds does not give its connection back when there is nothing to refund; after eight such requests the pool is empty and all handlers wait."
kind = "leak"
outcome = "hangs"
cause = [
  { file = "pay.log", text = 'nothing to refund', which = "all" },
  { file = "pay.log", text = 'RefundHandler - request (5001|5019|5020|5037|5038|5055|5057|5058) got connection', which = "all" },
]
subject = ["handler RefundHandler"]
innocent = ["handler ChargeHandler", "handler ReportHandler"]
shows = 'in use 8 of 8'
needs = ["javac", "liblog4j2-java"]
program = "java 17, log4j 2.19"
stop = "KILL"
seconds = 15
"""

import subprocess

import fault
import fault_java

command = fault_java.compiled("Pay", fault_java.LOG4J)
fault.begun()
subprocess.run(command)
