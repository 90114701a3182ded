"""
fault = "two executors have one label: the configuration is refused"
kind = "config"
outcome = "failed"
cause = [{ file = "**/*", text = "[Dd]uplicate|ConfigurationError" }]
subject = ["executor htex"]
shows = "."
"""
import fault

with fault.load(fault.htex("htex"), fault.htex("htex")):
    pass
