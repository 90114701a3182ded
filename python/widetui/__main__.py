"""The command: ``python -m widetui runinfo``."""

import os
import sys

from widetui import WidetuiError, _command

if __name__ == "__main__":
    try:
        path = _command()
    except WidetuiError as error:
        sys.exit("widetui: {}".format(error))
    os.execv(path, [path] + sys.argv[1:])
