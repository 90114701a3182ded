"""
fault = "a task's process is killed (SIGKILL), as by the kernel: WorkerLostError"
must = ["WorkerLost|SIGKILL|signal 9|killed|exited", "simulate|process"]
shows = "3 of 4"
"""
import fault_celery as fc

fc.run("""
@app.task
def simulate(n):
    import os, signal
    if n == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return n
""", [("simulate", n) for n in range(4)])
