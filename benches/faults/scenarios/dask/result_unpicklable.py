"""
fault = "the result of a task cannot be pickled when another worker or the client asks for it"
kind = "unpicklable"
outcome = "failed"
cause = [{ file = "**/*", text = "[Cc]annot pickle|[Cc]ould not serialize|[Ff]ailed to (de)?serialize|not serializable" }]
shows = "."
seconds = 30
stop = "KILL"
"""
import fault_dask as fd


def lines(n):
    return (line for line in range(5))


def main(client):
    fd.answers(client.map(lines, range(2)))


if __name__ == "__main__":
    fd.run(main)
