"""
fault = "the workers look for the scheduler at a wrong port and give up; tasks wait; killed after 20 s"
kind = "refused"
outcome = "hangs"
cause = [{ file = "**/*", text = "[Cc]onnection ?[Rr]efused|Timed out|death.timeout|[Cc]ould not connect|TimeoutError|Unable to" }]
seconds = 20
stop = "KILL"
"""
import fault_dask as fd


def work(n):
    return n


def main(client):
    fd.answers(client.map(work, range(3)))


if __name__ == "__main__":
    fd.run(main, wrong_port=True, options=["--death-timeout", "6"])
