r"""
fault = "a task's process is killed (SIGKILL), as by the kernel: WorkerLostError"
kind = "killed"
outcome = "failed"
cause = [{ file = "**/*", text = "WorkerLost|SIGKILL" }]
subject = [
    { class = "task", file = "worker.log", text = 'simulate\[([0-9a-f-]{36})\] received(?![\s\S]*\[\1\] succeeded)', which = "first" },
    { class = "pid", file = "worker.log", text = 'pid:(\d+) exited' },
    { class = "process", file = "worker.log", text = "Process '([\\w-]+)'" },
]
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
