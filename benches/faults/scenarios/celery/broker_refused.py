"""
fault = "nothing listens at the address of the broker"
kind = "refused"
outcome = "hangs"
cause = [{ file = "**/*", text = "Connection ?[Rr]efused|Cannot connect to" }]
seconds = 12
stop = "KILL"
"""
import fault_celery as fc

fc.run("""
@app.task
def square(n):
    return n * n
""", [], broker="amqp://guest@127.0.0.1:9//")
