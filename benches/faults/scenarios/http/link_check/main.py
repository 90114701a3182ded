r"""
fault = "none: a checker of links asks for pages that are gone, slow or forbidden, as it is made for, and writes its list."
kind = "healthy-failures"
outcome = "healthy"
on = ["services"]
shows = "report written"
limit = 60
program = "aiohttp 3.14"
"""

from fault_services import python, reachable, stop

site = python("site", "site_.py")
reachable(8261)
python("checker", "checker.py").wait()
stop(site)
