"""
fault = "two executors have one label: the configuration is refused"
must = ["[Dd]uplicate|label|ConfigurationError"]
shows = "."
"""
import fault

with fault.load(fault.htex("htex"), fault.htex("htex")):
    pass
