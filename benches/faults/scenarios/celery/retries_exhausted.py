r"""
fault = "a task is retried twice (ConnectionRefusedError) and given up"
kind = "refused"
outcome = "failed"
cause = [{ file = "**/*", text = "Connection ?[Rr]efused" }]
subject = [{ class = "task", file = "worker.log", text = 'fetch\[([0-9a-f-]{36})\] raised' }]
shows = "2 of 3"
"""
import fault_celery as fc

fc.run("""
@app.task(autoretry_for=(OSError,), max_retries=2, default_retry_delay=1, retry_jitter=False)
def fetch(n):
    import socket
    if n == 1:
        socket.create_connection(("127.0.0.1", 9)).close()
    return n
""", [("fetch", n) for n in range(3)])
