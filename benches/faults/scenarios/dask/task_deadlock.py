"""
fault = "with one thread per worker, tasks wait inside for the results of others by Future.result on a lock that one holds for ever"
kind = "lock"
outcome = "hangs"
cause = [{ file = "**/*", text = "guarded-[0-9a-f]+" }]
seconds = 18
stop = "KILL"
"""
import fault_dask as fd


def guarded(n):
    from distributed import Lock
    Lock("table").acquire()
    # A return without release.
    return n


def main(client):
    fd.answers(client.map(guarded, range(4)))


if __name__ == "__main__":
    fd.run(main, debug=True)
