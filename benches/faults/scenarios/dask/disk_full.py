"""
fault = "a task writes to a full disk"
kind = "resource"
outcome = "failed"
cause = [{ file = "**/*", text = "No space left" }]
subject = [{ class = "task", file = "worker*.log", text = "Key: +(dump-[0-9a-f]+)" }]
shows = "5 of 6"
"""
import fault_dask as fd


def dump(n):
    with open("/dev/full" if n == 4 else "/dev/null", "w") as file:
        file.write("x" * 100_000)
    return n


def main(client):
    fd.answers(client.map(dump, range(6)))


if __name__ == "__main__":
    fd.run(main)
