"""
fault = "none: a task fails once and succeeds at its second try"
kind = "healthy-retries"
outcome = "healthy"
shows = "8 of 8"
"""
import fault_dask as fd


def flaky(n):
    from pathlib import Path
    marker = Path(f"../tried{n}")
    if n == 3 and not marker.exists():
        marker.touch()
        raise OSError("stale file handle")
    return n


def main(client):
    fd.answers(client.map(flaky, range(8), retries=2))


if __name__ == "__main__":
    fd.run(main)
