"""
fault = "one task divides by zero; ten others need its result and err with it"
kind = "exception"
outcome = "failed"
cause = [{ file = "**/*", text = "division by zero|ZeroDivisionError" }]
subject = [{ class = "task", file = "worker*.log", text = "Key: +(ratio-[0-9a-f]+)" }]
shows = "0 of 11"
"""
import fault_dask as fd


def ratio(a, b):
    return a / b


def use(value, n):
    return value + n


def main(client):
    first = client.submit(ratio, 1, 0)
    fd.answers([first] + [client.submit(use, first, n) for n in range(10)])


if __name__ == "__main__":
    fd.run(main)
