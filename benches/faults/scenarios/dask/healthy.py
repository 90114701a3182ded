"""
fault = "none: 60 tasks, some of which depend on others, on two workers"
kind = "healthy"
outcome = "healthy"
on = ["dask-2026.8.0", "dask-2022.12.1"]
shows = "63 of 63"
"""
import fault_dask as fd


def square(n):
    return n * n


def main(client):
    squares = client.map(square, range(60))
    fd.answers(squares + [client.submit(sum, squares[n::3]) for n in range(3)])


if __name__ == "__main__":
    fd.run(main)
