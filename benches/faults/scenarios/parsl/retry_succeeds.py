"""
fault = "a task fails at its first try and succeeds at its second: nothing that needs action"
kind = "healthy-retries"
outcome = "healthy"
shows = "6 of 6 results"
"""
import fault
from parsl import python_app


@python_app
def flaky(n):
    from pathlib import Path
    marker = Path(f"../tried{n}")
    if n == 3 and not marker.exists():
        marker.touch()
        raise OSError("stale file handle")
    return n


with fault.load(retries=2):
    fault.results([flaky(n) for n in range(6)])
