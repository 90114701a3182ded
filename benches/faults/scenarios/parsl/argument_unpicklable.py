"""
fault = "an app is called with an open connection to a database, which cannot be pickled"
kind = "unpicklable"
outcome = "failed"
cause = [{ file = "**/*", text = "cannot pickle|sqlite3.Connection|SerializationError" }]
subject = ["task 1"]
shows = "2 of 3 results"
"""
import sqlite3

import fault
from parsl import python_app


@python_app
def query(connection, n):
    return n


with fault.load():
    connection = sqlite3.connect(":memory:")
    fault.results([query(None, 1), query(connection, 2), query(None, 3)])
