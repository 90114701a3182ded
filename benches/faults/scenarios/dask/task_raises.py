"""
fault = "one of 20 tasks raises ValueError: negative grid spacing"
kind = "exception"
outcome = "failed"
cause = [{ file = "**/*", text = "negative grid spacing" }]
subject = [{ class = "task", file = "worker*.log", text = "Key: +(refine-[0-9a-f]+)" }]
on = ["dask-2026.8.0", "dask-2022.12.1"]
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
