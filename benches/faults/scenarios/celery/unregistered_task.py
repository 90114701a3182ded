r"""
fault = "the client sends a task that the worker does not know"
kind = "config"
outcome = "hangs"
cause = [{ file = "**/*", text = 'unregistered task|lab\.resample' }]
subject = ["task lab.resample"]
seconds = 12
stop = "KILL"
"""
import fault_celery as fc

fc.run("""
@app.task
def square(n):
    return n * n
""", [("square", 1), ("resample", 2)])
