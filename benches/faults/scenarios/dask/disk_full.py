"""
fault = "a task writes to a full disk"
must = ["No space left|(disk|device|file ?system) (is )?full", "dump"]
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
