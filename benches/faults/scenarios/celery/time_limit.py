"""
fault = "a task exceeds the hard time limit of 2 s"
must = ["TimeLimitExceeded|time ?limit", "relax"]
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
