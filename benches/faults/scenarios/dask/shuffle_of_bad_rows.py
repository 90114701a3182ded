"""
fault = "in a grouping over a bag the key function raises KeyError: 'station'"
kind = "exception"
outcome = "failed"
cause = [{ file = "**/*", text = "KeyError.*station" }]
shows = "station"
"""
import fault_dask as fd


def station(row):
    return row["station"]


def main(client):
    import dask.bag as db
    rows = [{"station": n % 4, "t": n} for n in range(200)]
    rows[150] = {"t": 150}
    print(db.from_sequence(rows, npartitions=8).groupby(station, shuffle="tasks").map(lambda group: len(group[1])).compute())


if __name__ == "__main__":
    fd.run(main)
