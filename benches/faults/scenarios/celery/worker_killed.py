"""
fault = "the worker with all its processes is killed while tasks run; killed after 8 s"
severity = ["error", "warning"]
must = ["never|unfinished|killed|ended without|did not end|stops|cut|not finish|running|silent|lost"]
seconds = 8
stop = "KILL"
"""
import fault_celery as fc


fc.run("""
@app.task
def wait(n):
    import time
    time.sleep(2)
    return n
""", [("wait", n) for n in range(20)], kill_after=5)
