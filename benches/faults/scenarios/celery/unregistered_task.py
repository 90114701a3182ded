"""
fault = "the client sends a task that the worker does not know"
must = ["unregistered|not registered|[Uu]nknown task|resample"]
seconds = 12
stop = "KILL"
"""
import fault_celery as fc

fc.run("""
@app.task
def square(n):
    return n * n
""", [("square", 1), ("resample", 2)])
