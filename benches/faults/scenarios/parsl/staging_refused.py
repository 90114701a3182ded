r"""
fault = "an input is to be fetched over HTTP from a server that is not there"
kind = "refused"
outcome = "failed"
cause = [{ file = "**/*", text = "[Cc]onnection ?[Rr]efused|Max retries exceeded" }]
subject = [{ class = "task", file = "runinfo/*/parsl.log", text = 'Task (\d+) failed after' }]
shows = "0 of 1 results"
"""
import fault
from parsl import python_app
from parsl.data_provider.files import File


@python_app
def count(inputs=()):
    with open(inputs[0].filepath) as file:
        return len(file.read())


with fault.load():
    fault.results([count(inputs=[File("http://127.0.0.1:9/catalogue.csv")])])
