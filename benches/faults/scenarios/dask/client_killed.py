"""
fault = "the client is killed (SIGKILL) in the middle of its work; scheduler and workers go on and drop its tasks"
severity = ["error", "warning", "info"]
must = ["client", "lost|killed|died|closed|gone|removed|left|disconnected|connection"]
"""
import time

import fault_dask as fd


def work(n):
    time.sleep(1)
    return n


if __name__ == "__main__":
    fd.client_killed(work)
