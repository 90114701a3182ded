r"""
fault = "one of 10 tasks raises ValueError: negative grid spacing"
kind = "exception"
outcome = "failed"
cause = [{ file = "**/*", text = "negative grid spacing" }]
subject = [{ class = "task", file = "worker.log", text = 'refine\[([0-9a-f-]{36})\] raised' }]
shows = "9 of 10"
"""
import fault_celery as fc

fc.run("""
@app.task
def refine(n):
    if n == 7:
        raise ValueError("negative grid spacing")
    return n
""", [("refine", n) for n in range(10)])
