"""
fault = "the module of the tasks imports another one that is not installed: the worker does not start"
kind = "import"
outcome = "failed"
cause = [{ file = "**/*", text = "gridtools9" }]
seconds = 8
stop = "KILL"
"""
import fault_celery as fc

fc.run("""
import gridtools9


@app.task
def regrid(n):
    return gridtools9.regrid(n)
""", [])
