r"""
fault = "one task never ends, eight others do; killed after 10 s"
kind = "no-producer"
outcome = "hangs"
cause = [{ file = "worker.log", text = 'listen\[([0-9a-f-]{36})\] received(?![\s\S]*\[\1\] succeeded)', which = "first" }]
subject = [{ class = "task", file = "worker.log", text = 'listen\[([0-9a-f-]{36})\] received(?![\s\S]*\[\1\] succeeded)', which = "first" }]
seconds = 10
stop = "KILL"
"""
import fault_celery as fc

fc.run("""
@app.task
def listen(n):
    import threading
    if n == 3:
        threading.Event().wait()
    return n
""", [("listen", n) for n in range(9)])
