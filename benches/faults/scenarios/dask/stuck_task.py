"""
fault = "one task waits for an event that nobody sets, five wait for its result; killed after 15 s"
kind = "no-producer"
outcome = "hangs"
cause = [{ file = "**/*", text = "hold-[0-9a-f]+" }]
seconds = 15
stop = "KILL"
"""
import fault_dask as fd


def hold(n):
    import threading
    if n == 2:
        threading.Event().wait()
    return n


def use(a, n):
    return n


def main(client):
    held = client.map(hold, range(4))
    fd.answers([client.submit(use, held[2], n) for n in range(5)])


if __name__ == "__main__":
    fd.run(main, debug=True)
