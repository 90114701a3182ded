"""
fault = "none that lasts: a task fails once and succeeds when it is tried again"
kind = "healthy-retries"
outcome = "healthy"
shows = "3 of 3"
"""
import fault_celery as fc

fc.run("""
@app.task(autoretry_for=(OSError,), max_retries=2, default_retry_delay=1, retry_jitter=False)
def fetch(n):
    import pathlib
    marker = pathlib.Path("tried")
    if n == 1 and not marker.exists():
        marker.touch()
        raise OSError("stale file handle")
    return n
""", [("fetch", n) for n in range(3)])
