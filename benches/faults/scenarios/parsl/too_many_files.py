"""
fault = "an app opens more files than it may"
kind = "resource"
outcome = "failed"
cause = [{ file = "**/*", text = "Too many open files" }]
subject = ["task 1"]
shows = "5 of 6 results"
"""
import fault
from parsl import python_app


@python_app
def scan(n):
    import resource
    if n == 1:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
        try:
            files = [open("/dev/null") for _ in range(100)]
        finally:
            files = None
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return n


with fault.load():
    fault.results([scan(n) for n in range(6)])
