"""
fault = "the result of a task cannot be written as JSON"
must = ["EncodeError|not JSON serializable|serializ", "table"]
shows = "2 of 3"
"""
import fault_celery as fc

fc.run("""
@app.task
def table(n):
    return object() if n == 1 else n
""", [("table", n) for n in range(3)])
