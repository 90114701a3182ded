"""
fault = "none: a sum over a chunked array and a transposition of it"
kind = "healthy"
outcome = "healthy"
shows = "of the array"
"""
import dask.array as da

import fault_dask as fd


def main(client):
    values = da.ones((2000, 2000), chunks=(500, 500))
    print((values + values.T).sum().compute(), "is the sum of the array")


if __name__ == "__main__":
    fd.run(main)
