r"""
fault = "a task exceeds the hard time limit of 2 s"
kind = "timeout"
outcome = "failed"
cause = [{ file = "**/*", text = "TimeLimitExceeded|[Tt]ime limit" }]
subject = [{ class = "task", file = "worker.log", text = 'exceeded for (?:lab\.)?relax\[([0-9a-f-]{36})\]' }]
shows = "2 of 3"
"""
import fault_celery as fc

fc.run("""
@app.task(time_limit=2)
def relax(n):
    import time
    time.sleep(60 if n == 1 else 0)
    return n
""", [("relax", n) for n in range(3)])
