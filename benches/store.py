#!/usr/bin/env python3
"""A store of many runs: written side by side by Dask and Parsl, read by widetui and DuckDB.

    python3 -m venv env && env/bin/pip install dask distributed parsl duckdb
    env/bin/python benches/store.py PROGRAM RUN [--runs 200] [--folder DIR]

PROGRAM is widetui with the feature `parquet`; RUN is a run, such as tests/data/hung, of which copies with other days and ids
are made. Half of the copies are exported by functions of a Dask LocalCluster, half by bash apps of Parsl's
HighThroughputExecutor, at the same time; one more writer is killed while it writes. Then nothing may be lost or torn, an
export that is repeated may change nothing, and DuckDB must count the records that widetui counts. Prints what it cost; fails
where an answer is wrong."""

import argparse
import datetime
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid

DAY = b"2026-11-21"
ORIGINAL_DAY = datetime.date.fromisoformat(DAY.decode())
KEY = "parsl.task"


def copies(run, count, folder):
    """Copies of a run with other days and ids; all have the same length in bytes."""
    ids = subprocess.run(
        ["grep", "-rhoaE", "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", run], stdout=subprocess.PIPE
    ).stdout.split()
    known = max(set(ids), key=ids.count) if ids else None
    paths = []
    for number in range(count):
        target = folder / f"{number:04}"
        day = datetime.date(2025, 1, 1) + datetime.timedelta(days=number)
        for path in sorted(pathlib.Path(run).rglob("*")):
            if path.is_file():
                data = path.read_bytes().replace(DAY, day.isoformat().encode())
                data = re.sub(rb"(?<!\d)\d{10}(?!\d)", lambda found: moved(found[0], (day - ORIGINAL_DAY).days), data)
                if known:
                    data = data.replace(known, str(uuid.uuid5(uuid.NAMESPACE_OID, str(number))).encode())
                to = target / path.relative_to(run)
                to.parent.mkdir(parents=True, exist_ok=True)
                to.write_bytes(data)
        paths.append(str(target))
    return paths


def moved(number, days):
    """A number of ten digits, moved by some days if it is a time of the original day in seconds since the epoch."""
    start = int(datetime.datetime.combine(ORIGINAL_DAY, datetime.time(), datetime.timezone.utc).timestamp())
    is_time = start - 86400 <= int(number) < start + 2 * 86400
    return b"%d" % (int(number) + days * 86400) if is_time else number


def export(program, run, store):
    """Adds a run to a store, and returns the path of its file."""
    done = subprocess.run([program, "export", run, "-o", f"{store}/"], check=True, stdout=subprocess.PIPE)
    return done.stdout.decode().strip()


def with_dask(program, runs, store):
    import dask

    # Worker processes import no module of this script: the function is sent as it is.
    dask.config.set({"distributed.worker.daemon": False})
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        return client.gather(client.map(lambda run: export(program, run, store), runs, pure=False))


def with_parsl(program, runs, store, folder):
    import parsl
    from parsl.config import Config
    from parsl.executors import HighThroughputExecutor
    from parsl.providers import LocalProvider

    executor = HighThroughputExecutor(
        label="export", max_workers_per_node=2, address="127.0.0.1", encrypted=False, provider=LocalProvider(init_blocks=1, max_blocks=1)
    )
    config = Config(executors=[executor], run_dir=str(folder / "runinfo"), usage_tracking=0)

    @parsl.bash_app
    def add(program, run, store):
        return f"{program} export {run} -o {store}/"

    with parsl.load(config):
        futures = [add(program, run, store) for run in runs]
        return [future.result() for future in futures]


def kill_one(program, run, store):
    """Kills a writer while files of it are there; returns the names of what it left."""
    for _ in range(200):
        before = set(os.listdir(store)) if os.path.isdir(store) else set()
        writer = subprocess.Popen([program, "export", run, "-o", f"{store}/", "--run", "killed"], stdout=subprocess.DEVNULL)
        while writer.poll() is None:
            temporary = [name for name in os.listdir(store) if name.startswith(".widetui-") and name not in before]
            if any(list(pathlib.Path(store, name).rglob("*.part")) for name in temporary):
                writer.send_signal(signal.SIGKILL)
                writer.wait()
                # Other writers may have ended meanwhile.
                left = [name for name in temporary if os.path.isdir(os.path.join(store, name))]
                if not list(pathlib.Path(store).glob("*/killed.parquet")):
                    return left
        for path in pathlib.Path(store).glob("*/killed.parquet"):
            path.unlink()
    sys.exit("no writer could be killed while it wrote")


def spent(command, repeats=5):
    """Median of wall and processor seconds of a command, and its output."""
    walls, cores = [], []
    for _ in range(repeats):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        out = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
        walls.append(time.monotonic() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cores.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(walls), statistics.median(cores), out


def size(folder):
    return sum(path.stat().st_size for path in pathlib.Path(folder).rglob("*") if path.is_file())


def listing(store):
    return {str(path): (path.stat().st_ino, path.stat().st_mtime_ns) for path in pathlib.Path(store).glob("*/*.parquet")}


def check(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: {found}, expected {expected}")
    print(f"ok: {what}: {expected}")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program", type=os.path.abspath)
    options.add_argument("run", type=os.path.abspath)
    options.add_argument("--runs", type=int, default=200)
    options.add_argument("--folder", type=pathlib.Path)
    options = options.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="store-", dir=options.folder))
    program, store = options.program, str(folder / "store")
    os.mkdir(store)
    runs = copies(options.run, options.runs, folder / "runs")
    text = size(runs[0])

    started = time.monotonic()
    of_dask = threading.Thread(target=with_dask, args=(program, runs[::2], store))
    of_dask.start()
    left = []
    killer = threading.Thread(target=lambda: left.extend(kill_one(program, runs[0], store)))
    killer.start()
    with_parsl(program, runs[1::2], store, folder)
    of_dask.join()
    killer.join()
    wall = time.monotonic() - started

    records = int(subprocess.run(f"{program} events {runs[0]} --format jsonl | wc -l", shell=True, stdout=subprocess.PIPE).stdout)
    tables = ("events", "entities", "runs")
    files = sorted(os.listdir(f"{store}/events"))
    check("runs", len(files), options.runs)
    check("tables with all runs", [table for table in tables if sorted(os.listdir(f"{store}/{table}")) == files], list(tables))
    remaining = {name for name in os.listdir(store) if name.startswith(".")}
    check("folders left by others than the killed writer", remaining - set(left), set())

    import duckdb

    events, column = f"'{store}/events/*.parquet'", KEY.replace(".", "_")
    counts = duckdb.sql(f"select run, count(*), count({column}) from {events} group by run").fetchall()
    check("runs and records that DuckDB counts", {(len(counts), n) for _, n, _ in counts}, {(options.runs, records)})
    own = subprocess.run(f"{program} events {runs[0]} --where 'has {KEY}' --format jsonl", shell=True, stdout=subprocess.PIPE).stdout
    one = [json.loads(line)[KEY] for line in own.splitlines()]
    one = sum(not isinstance(value, list) for value in one)
    check(f"records with {KEY} in each run", {n for *_, n in counts}, {one})
    tasks = duckdb.sql(f"select run, count(*) from '{store}/entities/*.parquet' where entity = '{KEY}' group by run").fetchall()
    listed = subprocess.run([program, "entities", "--of", KEY, runs[0], "--format", "jsonl"], stdout=subprocess.PIPE).stdout
    check(f"{KEY} in each run", {n for _, n in tasks}, {len(listed.splitlines())})

    before = listing(store)
    for run in runs[:5]:
        export(program, run, store)
    check("files changed by exporting five runs again", listing(store) == before, True)

    trends_wall, trends_cpu, rows = spent([program, "runs", store, "--format", "jsonl"])
    check("rows of `runs`", len({json.loads(row)["stored_as"] for row in rows.splitlines()}), options.runs)
    file = f"{store}/events/{files[len(files) // 2]}"
    task_wall, task_cpu, rows = spent([program, "events", file, "--where", f"{KEY} = 7", "--format", "jsonl"])
    expected = subprocess.run([program, "events", runs[0], "--where", f"{KEY} = 7", "--format", "jsonl"], stdout=subprocess.PIPE).stdout
    check(f"records of {KEY} 7", len(rows.splitlines()), len(expected.splitlines()))
    all_wall, all_cpu, rows = spent([program, "sources", store, "--format", "jsonl"], repeats=1)
    check("records of all runs", sum(json.loads(row)["records"] for row in rows.splitlines()), records * options.runs)
    load_wall, load_cpu, _ = spent([program, "sources", runs[0], "--format", "jsonl"])
    write_wall, write_cpu, _ = spent([program, "export", runs[0], "-o", f"{store}/"])
    start = time.monotonic()
    duckdb.sql(f"select count(*) from {events} where {column} = 7").fetchall()
    duck = time.monotonic() - start
    bytes_of = {table: size(f"{store}/{table}") / len(files) for table in tables}
    whole = sum(bytes_of.values())
    print(f"""
{options.runs} runs of {records} records, {text / 1e3:.0f} kB of logs each
bytes of a run: {whole / 1e3:.1f} kB, 1/{text / whole:.1f} of the logs ({', '.join(f'{t} {n / 1e3:.1f}' for t, n in bytes_of.items())}), {whole / records:.1f} a record
writing {options.runs} runs by Dask and Parsl: {wall:.1f} s with their start
one export: {write_wall * 1e3:.0f} ms, {write_cpu * 1e3:.0f} ms of cores, of which loading {load_cpu * 1e3:.0f}; {(write_cpu - load_cpu) / records * 1e6:.0f} core-seconds per 10^6 records beyond the load
`runs STORE`: {trends_wall * 1e3:.0f} ms, {trends_cpu * 1e3:.0f} ms of cores
one task of one run: {task_wall * 1e3:.0f} ms, {task_cpu * 1e3:.0f} ms of cores
loading the whole store: {all_wall:.2f} s, {all_cpu:.2f} core-seconds, {all_cpu / records / options.runs * 1e6:.1f} per 10^6 records
DuckDB, one task of all runs: {duck * 1e3:.0f} ms""")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
