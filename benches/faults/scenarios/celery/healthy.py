"""
fault = "none: 20 tasks on a worker with two processes"
kind = "healthy"
outcome = "healthy"
shows = "20 of 20"
"""
import fault_celery as fc

fc.run("""
@app.task
def square(n):
    return n * n
""", [("square", n) for n in range(20)])
