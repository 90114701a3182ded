"""
fault = "the preload script of the workers raises; the workers go on without it"
kind = "exception"
outcome = "failed"
cause = [{ file = "**/*", text = "license of MATGEN" }]
seconds = 25
stop = "KILL"
"""
from pathlib import Path

import fault_dask as fd


def main(client):
    fd.answers(client.map(str, range(3)))


if __name__ == "__main__":
    Path("../site_setup.py").write_text("def dask_setup(worker):\n    raise OSError('license of MATGEN has expired')\n")
    fd.run(main, options=["--preload", "../site_setup.py"])
