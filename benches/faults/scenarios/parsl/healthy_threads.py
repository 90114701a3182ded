"""
fault = "none: apps and join apps on threads, some of which depend on others"
kind = "healthy"
outcome = "healthy"
shows = "10 of 10"
"""
import fault
import parsl
from parsl import join_app, python_app
from parsl.config import Config


@python_app
def work(n, *after):
    return n


@join_app
def sweep(n):
    return [work(m) for m in range(n)]


with parsl.load(Config()):
    first = [work(n) for n in range(4)]
    fault.results(first + [work(n, *first) for n in range(4)] + [sweep(n) for n in range(1, 3)])
