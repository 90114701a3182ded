r"""
fault = "of two executors the block of one (gpu) fails at once; the other (cpu) does its work"
kind = "version"
outcome = "failed"
cause = [{ file = "**/*", text = 'CUDA driver of this node is too old$|[Ee][Xx][Ii][Tt].?[Cc][Oo][Dd][Ee]:? ?5\b' }]
subject = ["executor gpu"]
innocent = ["executor cpu"]
shows = "3 of 6 results"
"""
import fault
from parsl import python_app


@python_app(executors=["cpu"])
def prepare(n):
    return n


@python_app(executors=["gpu"])
def train(n):
    return n


with fault.load(fault.htex("cpu"), fault.htex("gpu", worker_init="echo 'CUDA driver of this node is too old' >&2; exit 5")):
    fault.results([prepare(n) for n in range(3)] + [train(n) for n in range(3)])
