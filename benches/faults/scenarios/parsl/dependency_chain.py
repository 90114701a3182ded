"""
fault = "in a chain of eight tasks the third raises KeyError: 'temperature'; the rest fails for it"
kind = "exception"
outcome = "failed"
cause = [{ file = "**/*", text = "KeyError: 'temperature'" }]
subject = ["task 2"]
innocent = ["task 3", "task 4", "task 5", "task 6", "task 7"]
shows = "2 of 8 results"
"""
import fault
from parsl import python_app


@python_app
def advance(state, n):
    return {"step": n, "energy": state["temperature" if n == 2 else "energy"]}


with fault.load():
    state, chain = {"energy": 1.0}, []
    for n in range(8):
        state = advance(state, n)
        chain.append(state)
    fault.results(chain)
