"""
fault = "none: a program whose own output is full of harmless words (error, failed, killed)"
kind = "healthy"
outcome = "healthy"
shows = "4 of 4"
"""
import logging

import fault
from parsl import bash_app, python_app

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
log = logging.getLogger("fit")


@python_app
def fit(n):
    return 10.0 ** -n


@bash_app
def report(n, stdout=None, stderr=None):
    return "echo 'max relative error 3.1e-05'; echo '0 of 12 checks failed, 0 killed' >&2"


with fault.load():
    tasks = [fit(n) for n in range(2)] + [report(n, stdout=f"r{n}.out", stderr=f"r{n}.err") for n in range(2)]
    fault.results(tasks)
    log.info("relative error %.1e after 6 steps; no failures", 3.1e-5)
    log.info("fail-fast is off, error budget 0.1")
