"""
fault = "nothing listens at the address of the broker"
must = ["[Cc]onnection ?[Rr]efused|[Cc]annot connect|broker"]
seconds = 12
stop = "KILL"
"""
import fault_celery as fc

fc.run("""
@app.task
def square(n):
    return n * n
""", [], broker="amqp://guest@127.0.0.1:9//")
