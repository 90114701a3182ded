"""
fault = "one task never ends, eight others do; killed after 10 s"
severity = ["error", "warning"]
must = ["listen", "never|unfinished|still|running|stuck|hang|not end|wait"]
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
