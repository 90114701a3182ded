"""
fault = "the worker with all its processes is killed while tasks run; killed after 8 s"
kind = "killed"
outcome = "hangs"
cause = [{ file = "worker.log", text = ".", which = "last" }]
subject = ["worker celery@node1", "node celery@node1"]
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
