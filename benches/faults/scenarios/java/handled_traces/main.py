r"""
fault = "none: a feed reader that logs stack traces of unreadable items at WARN, skips them as its settings say, and uses old options that it warns about"
kind = "healthy-warnings"
outcome = "healthy"
subject = []
shows = 'finished, 57 items'
needs = ["javac", "liblogback-java"]
program = "java 17, logback 1.2"
"""

import sys

import fault_java

sys.exit(fault_java.run("Feeds", fault_java.LOGBACK))
