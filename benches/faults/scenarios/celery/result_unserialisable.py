r"""
fault = "the result of a task cannot be written as JSON"
kind = "unpicklable"
outcome = "failed"
cause = [{ file = "**/*", text = "EncodeError|not JSON serializable|[Uu]nseriali[sz]able" }]
subject = [{ class = "task", file = "worker.log", text = 'table\[([0-9a-f-]{36})\] received(?![\s\S]*\[\1\] succeeded)', which = "first" }]
shows = "2 of 3"
"""
import fault_celery as fc

fc.run("""
@app.task
def table(n):
    return object() if n == 1 else n
""", [("table", n) for n in range(3)])
