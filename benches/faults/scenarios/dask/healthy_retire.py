"""
fault = "none: a worker is retired while it holds results, which go to the other"
kind = "healthy-stop"
outcome = "healthy"
shows = "20 of 20"
"""
import fault_dask as fd


def square(n):
    return n * n


def main(client):
    squares = client.map(square, range(20))
    fd.gather(squares)
    first = sorted(client.scheduler_info()["workers"])[0]
    client.retire_workers([first])
    fd.answers(squares)


if __name__ == "__main__":
    fd.run(main)
