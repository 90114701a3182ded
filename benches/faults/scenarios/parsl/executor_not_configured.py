"""
fault = "an app asks for an executor that the configuration does not have"
kind = "config"
outcome = "failed"
cause = [{ file = "**/*", text = "bigmem" }]
subject = ["executor bigmem"]
shows = "bigmem"
"""
import fault
from parsl import python_app


@python_app(executors=["bigmem"])
def assemble(n):
    return n


with fault.load():
    fault.results([assemble(n) for n in range(3)])
