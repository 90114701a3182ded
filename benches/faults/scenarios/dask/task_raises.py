"""
fault = "one of 20 tasks raises ValueError: negative grid spacing"
on = ["dask-2026.8.0", "dask-2022.12.1"]
must = ["negative grid spacing", "refine"]
shows = "19 of 20"
"""
import fault_dask as fd


def refine(n):
    if n == 7:
        raise ValueError("negative grid spacing")
    return n * n


def main(client):
    fd.answers(client.map(refine, range(20)))


if __name__ == "__main__":
    fd.run(main)
