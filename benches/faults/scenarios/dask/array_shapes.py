"""
fault = "the shape of one block of an array is wrong: the reduction over it raises"
kind = "exception"
outcome = "failed"
cause = [{ file = "**/*", text = "broadcast|operands could not|[Ss]hapes? .*(mis|not|differ)" }]
shows = "Error"
"""
import dask.array as da
import numpy as np

import fault_dask as fd


def block(info=None):
    place = info[None]["array-location"][0]
    return np.ones((90 if place[0] == 100 else 100, 50))


def main(client):
    values = da.map_blocks(lambda x, block_info=None: block(block_info), da.ones((400, 50), chunks=(100, 50)), dtype=float, meta=np.ones((0, 0)))
    other = da.ones((400, 50), chunks=(100, 50))
    print((values + other).sum().compute())


if __name__ == "__main__":
    fd.run(main)
