#!/usr/bin/env python3
"""The same ten questions about a store of many different runs, asked of five engines without options.

    python3 -m venv env && env/bin/pip install duckdb polars pyarrow 'dask[dataframe]' pyspark
    env/bin/python benches/store_engines.py PROGRAM RUN... [--keep FOLDER]

PROGRAM is widetui with the feature `parquet`; each RUN is a folder of logs, of any systems. The expected answers are computed from
the JSON lines that PROGRAM prints about the logs themselves. Spark needs Java. Prints a table of right and wrong answers, and fails
where one is wrong."""

import argparse
import collections
import datetime
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time

#: Key with a column in every store, and its column.
TASK, TASK_COLUMN = "parsl.task", "parsl_task"
WORKER, WORKER_COLUMN = "dask.worker", "dask_worker"


def lines(program, *arguments):
    done = subprocess.run([program, *arguments, "--format", "jsonl"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr.decode())
    return [json.loads(line) for line in done.stdout.splitlines()]


def microseconds(text):
    """Microseconds of an RFC 3339 time since the epoch."""
    moment = datetime.datetime.fromisoformat(text[:26]).replace(tzinfo=datetime.timezone.utc)
    return (moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // datetime.timedelta(microseconds=1)


def frequent(events, is_wanted):
    """Key without a column that most runs have, of those whose values are as wanted."""
    found = collections.Counter(
        name
        for own in events.values()
        for name in {name for event in own for name, value in event.items() if "." in name and is_wanted(name, value)}
    )
    # Of those in equally many runs the one with most records.
    def records(name):
        return sum(name in event for own in events.values() for event in own)

    most = max(found.values())
    return max(sorted(name for name, runs in found.items() if runs == most), key=records)


def expected(program, runs, columns):
    """Answers by the JSON lines of the logs, and the parameters of the questions."""
    events = {name: lines(program, "events", path) for name, path in runs.items()}
    everything = [(name, event) for name, own in events.items() for event in own]
    key = frequent(events, lambda name, value: name not in columns and not isinstance(value, list))
    several = frequent(events, lambda _, value: isinstance(value, list))
    times = {name: [microseconds(event["time"]) for event in own if event.get("time")] for name, own in events.items()}
    tasks = [int(event[TASK]) for _, event in everything if isinstance(event.get(TASK), (int, str))]
    instances = [
        (kind, instance)
        for path in runs.values()
        for kind in sorted({kind["entity"] for kind in lines(program, "entities", path)})
        for instance in lines(program, "entities", path, "--of", kind)
    ]
    durations = collections.defaultdict(list)
    for kind, instance in instances:
        durations[kind].append(instance.get("duration_s"))
    summaries = {name: lines(program, "runs", path) for name, path in runs.items()}
    unfinished = {name: sum(run["unfinished"] for run in own) for name, own in summaries.items()}
    is_error = {name: sum(event["level"] in ("error", "critical") for event in own) for name, own in events.items()}

    def mean(values):
        values = [value for value in values if value is not None]
        return sum(values) / len(values) if values else None

    answers = {
        "records of each run": [(name, len(own)) for name, own in events.items()],
        "records of each level": list(collections.Counter(event["level"] or None for _, event in everything).items()),
        "seconds of each run": [(name, (max(own) - min(own)) / 1e6 if own else None) for name, own in times.items()],
        "runs and records with a task of this number": list(
            collections.Counter(name for name, event in everything if str(event.get(TASK)) == "7").items()
        ),
        "sum of the numbers of tasks": [(len(tasks), sum(tasks))],
        "different workers": [(len({e[WORKER] for _, e in everything if isinstance(e.get(WORKER), str)}),)],
        "values of a key without a column": list(
            collections.Counter(
                text_of(event[key]) for _, event in everything if key in event and not isinstance(event[key], list)
            ).items()
        ),
        "records with several values of a key, and values": [
            (
                sum(isinstance(event.get(several), list) for _, event in everything),
                sum(len(event[several]) for _, event in everything if isinstance(event.get(several), list)),
            )
        ],
        "instances and mean duration of each entity": [(kind, len(own), mean(own)) for kind, own in durations.items()],
        "errors in runs with unfinished work": [
            (name, unfinished[name], is_error[name]) for name in runs if unfinished[name]
        ],
    }
    return answers, {"key": key, "several": several}


def text_of(value):
    return value if isinstance(value, str) else json.dumps(value)


def duckdb_answers(store, key, several):
    import duckdb

    def ask(query):
        return lambda: duckdb.sql(query.format(events=f"'{store}/events/*.parquet'", entities=f"'{store}/entities/*.parquet'", runs=f"'{store}/runs/*.parquet'")).fetchall()

    return [
        ask("select run, count(*) from {events} group by run"),
        ask("select level, count(*) from {events} group by level"),
        ask("select run, epoch(max(time) - min(time)) from {events} group by run"),
        ask(f"select run, count(*) from {{events}} where {TASK_COLUMN} = 7 group by run"),
        ask(f"select count({TASK_COLUMN}), sum({TASK_COLUMN}) from {{events}}"),
        ask(f"select count(distinct {WORKER_COLUMN}) from {{events}}"),
        ask(f"select keys['{key}'] as value, count(*) from {{events}} where value is not null group by value"),
        ask(f"select count(lists['{several}']), sum(len(lists['{several}'])) from {{events}}"),
        ask("select entity, count(*), avg(duration_s) from {entities} group by entity"),
        ask(
            "with open as (select run, sum(unfinished) as unfinished from {runs} group by run) "
            "select run, unfinished, count(*) filter (level in ('error', 'critical')) from {events} join open using (run) "
            "where unfinished > 0 group by all"
        ),
    ]


def polars_answers(store, key, several):
    import polars as pl

    events, entities, runs = (pl.scan_parquet(f"{store}/{table}") for table in ("events", "entities", "runs"))
    count = pl.len().alias("count")

    def entry(column, name, kind):
        """Value of a name in a map column, null without one."""
        pairs = pl.col(column).cast(pl.List(pl.Struct({"key": pl.String, "value": kind})))
        own = pairs.list.filter(pl.element().struct.field("key") == name).list.first()
        return own.struct.field("value").alias("value")

    def ask(frame):
        return lambda: frame.collect().rows()

    span = (pl.col("time").max() - pl.col("time").min()).dt.total_microseconds() / 1e6
    values = events.select(entry("keys", key, pl.String)).drop_nulls()
    lists = events.select(entry("lists", several, pl.List(pl.String))).drop_nulls()
    unfinished = runs.group_by("run").agg(pl.col("unfinished").sum()).filter(pl.col("unfinished") > 0)
    errors = pl.col("level").is_in(["error", "critical"]).sum()
    return [
        ask(events.group_by("run").agg(count)),
        ask(events.group_by("level").agg(count)),
        ask(events.group_by("run").agg(span)),
        ask(events.filter(pl.col(TASK_COLUMN) == 7).group_by("run").agg(count)),
        ask(events.select(pl.col(TASK_COLUMN).count().alias("n"), pl.col(TASK_COLUMN).sum())),
        ask(events.select(pl.col(WORKER_COLUMN).drop_nulls().n_unique())),
        ask(values.group_by("value").agg(count)),
        ask(lists.select(count, pl.col("value").list.len().sum())),
        ask(entities.group_by("entity").agg(count, pl.col("duration_s").mean())),
        ask(events.join(unfinished, on="run").group_by("run", "unfinished").agg(errors)),
    ]


def pyarrow_answers(store, key, several):
    import pyarrow.compute as pc
    import pyarrow.dataset as ds

    events, entities, runs = (ds.dataset(f"{store}/{table}") for table in ("events", "entities", "runs"))

    def grouped(table, by, *what):
        """Rows of a grouping: the columns `by`, then the others."""
        found = table.group_by(by).aggregate(list(what))
        order = by + [name for name in found.column_names if name not in by]
        return [tuple(row[name] for name in order) for row in found.to_pylist()]

    def spans():
        found = events.to_table(columns=["run", "time"]).group_by("run").aggregate([("time", "min"), ("time", "max")])
        rows = found.to_pylist()
        return [(r["run"], (r["time_max"] - r["time_min"]).total_seconds() if r["time_max"] else None) for r in rows]

    def looked_up(column, name):
        found = pc.map_lookup(events.to_table(columns=[column])[column].combine_chunks(), name, "first")
        return found.drop_null()

    def of_lists():
        found = looked_up("lists", several)
        return [(len(found), pc.sum(pc.list_value_length(found)).as_py())]

    def errors():
        open_runs = runs.to_table().group_by("run").aggregate([("unfinished", "sum")]).filter(pc.field("unfinished_sum") > 0)
        levels = events.to_table(columns={"run": ds.field("run"), "is_error": ds.field("level").isin(["error", "critical"])})
        found = levels.join(open_runs, "run", join_type="inner")
        return grouped(found, ["run", "unfinished_sum"], ("is_error", "sum"))

    def tasks():
        column = events.to_table(columns=[TASK_COLUMN])[TASK_COLUMN]
        return [(len(column) - column.null_count, pc.sum(column).as_py())]

    def counts(table, by):
        return grouped(table, [by], ([], "count_all"))

    return [
        lambda: counts(events.to_table(columns=["run"]), "run"),
        lambda: counts(events.to_table(columns=["level"]), "level"),
        spans,
        lambda: counts(events.to_table(columns=["run"], filter=ds.field(TASK_COLUMN) == 7), "run"),
        tasks,
        lambda: [(pc.count_distinct(events.to_table(columns=[WORKER_COLUMN])[WORKER_COLUMN]).as_py(),)],
        lambda: [(row["values"], row["counts"]) for row in looked_up("keys", key).value_counts().to_pylist()],
        of_lists,
        lambda: grouped(entities.to_table(columns=["entity", "duration_s"]), ["entity"], ([], "count_all"), ("duration_s", "mean")),
        errors,
    ]


def dask_answers(store, key, several):
    import dask.dataframe as dd

    def table(name, *columns):
        return dd.read_parquet(f"{store}/{name}", columns=list(columns))

    def items(series):
        return list(series.compute().items())

    def spans():
        times = table("events", "run", "time").groupby("run")["time"]
        found = (times.max() - times.min()).dt.total_seconds()
        return items(found)

    def entries(column, name):
        pairs = table("events", column)[column]
        return pairs.map(lambda own: dict(own).get(name), meta=("value", object)).dropna()

    def of_lists():
        found = entries("lists", several).compute()
        return [(len(found), sum(len(values) for values in found))]

    def means():
        durations = table("entities", "entity", "duration_s").groupby("entity")["duration_s"]
        sizes, found = durations.size().compute(), durations.mean().compute()
        return [(name, size, found[name]) for name, size in sizes.items()]

    def errors():
        unfinished = table("runs", "run", "unfinished").groupby("run")["unfinished"].sum().reset_index()
        events = table("events", "run", "level")
        events["is_error"] = events["level"].isin(["error", "critical"]).astype("int64")
        own = events.merge(unfinished[unfinished["unfinished"] > 0], on="run")
        found = own.groupby(["run", "unfinished"])["is_error"].sum().compute()
        return [(*names, errors) for names, errors in found.items()]

    def tasks():
        column = table("events", TASK_COLUMN)[TASK_COLUMN]
        return [(column.count().compute(), column.sum().compute())]

    def of_task():
        events = table("events", "run", TASK_COLUMN)
        return items(events[events[TASK_COLUMN] == 7].groupby("run").size())

    return [
        lambda: items(table("events", "run").groupby("run").size()),
        lambda: items(table("events", "level").groupby("level", dropna=False).size()),
        spans,
        of_task,
        tasks,
        lambda: [(table("events", WORKER_COLUMN)[WORKER_COLUMN].dropna().nunique().compute(),)],
        lambda: items(entries("keys", key).value_counts()),
        of_lists,
        means,
        errors,
    ]


def spark_answers(store, key, several):
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    for table in ("events", "entities", "runs"):
        spark.read.parquet(f"{store}/{table}").createOrReplaceTempView(table)

    def ask(query):
        return lambda: [tuple(row) for row in spark.sql(query).collect()]

    return [
        ask("select run, count(*) from events group by run"),
        ask("select level, count(*) from events group by level"),
        ask("select run, timestampdiff(microsecond, min(time), max(time)) / 1e6 from events group by run"),
        ask(f"select run, count(*) from events where {TASK_COLUMN} = 7 group by run"),
        ask(f"select count({TASK_COLUMN}), sum({TASK_COLUMN}) from events"),
        ask(f"select count(distinct {WORKER_COLUMN}) from events"),
        ask(f"select keys['{key}'] as value, count(*) from events where keys['{key}'] is not null group by value"),
        ask(f"select count(lists['{several}']), sum(size(lists['{several}'])) from events where lists['{several}'] is not null"),
        ask("select entity, count(*), avg(duration_s) from entities group by entity"),
        ask(
            "with unended as (select run, sum(unfinished) as unfinished from runs group by run) "
            "select run, unfinished, count_if(level in ('error', 'critical')) from events join unended using (run) "
            "where unfinished > 0 group by run, unfinished"
        ),
    ]


ENGINES = {
    "duckdb": duckdb_answers,
    "polars": polars_answers,
    "pyarrow": pyarrow_answers,
    "dask": dask_answers,
    "spark": spark_answers,
}


def plain(rows):
    """Rows in one order, with missing values as None and numbers of one type."""

    def cell(value):
        if value is None or type(value).__name__ == "NAType" or value != value:
            return None
        if hasattr(value, "item"):
            value = value.item()
        if isinstance(value, (int, float)) or type(value).__name__ == "Decimal":
            return float(value)
        return value

    def order(row):
        return [f"{value:.3f}" if isinstance(value, float) else repr(value) for value in row]

    return sorted((tuple(map(cell, row)) for row in rows), key=order)


def is_same(found, right):
    """True if rows are equal; a mean depends on the order of its sum."""

    def is_close(a, b):
        both = isinstance(a, float) and isinstance(b, float)
        return math.isclose(a, b, rel_tol=1e-9) if both else a == b

    rows = zip(found, right)
    return len(found) == len(right) and all(len(a) == len(b) and all(map(is_close, a, b)) for a, b in rows)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program", type=os.path.abspath)
    options.add_argument("runs", nargs="+", type=os.path.abspath)
    options.add_argument("--keep")
    options.add_argument("--engines", default=",".join(ENGINES))
    options = options.parse_args()
    folder = options.keep or tempfile.mkdtemp(prefix="store-engines-")
    store = os.path.join(folder, "store")
    runs = {}
    for number, path in enumerate(options.runs):
        name = f"{number:02}-{os.path.basename(os.path.dirname(path))}-{os.path.basename(path)}".replace(" ", "_")
        done = subprocess.run([options.program, "export", path, "-o", f"{store}/", "--run", name], stdout=subprocess.PIPE)
        if done.returncode == 0:
            runs[name] = path
    with open(os.path.join(store, "widetui-store.json"), encoding="utf-8") as file:
        columns = {key["key"] for key in json.load(file)["keys"]}
    print(f"{len(runs)} runs, {sum(len(os.listdir(os.path.join(store, t))) for t in ('events', 'entities', 'runs'))} files")
    answers, parameters = expected(options.program, runs, columns)
    print(f"key without a column: {parameters['key']}, with several values: {parameters['several']}")
    wrong = 0
    table = {}
    for engine in options.engines.split(","):
        started = time.monotonic()
        try:
            questions = ENGINES[engine](store, **parameters)
        except Exception as error:  # noqa: BLE001
            questions = [lambda error=error: sys.exit(f"{error}")] * len(answers)
        for (question, right), ask in zip(answers.items(), questions):
            try:
                found = plain(ask())
                is_right = is_same(found, plain(right))
                note = "" if is_right else f"{set(found) ^ set(plain(right))}"
            except (Exception, SystemExit) as error:  # noqa: BLE001
                is_right, note = False, f"{type(error).__name__}: {error}"
            table[engine, question] = is_right
            if not is_right:
                wrong += 1
                print(f"{engine}: {question}: {note[:600]}")
        print(f"{engine}: {time.monotonic() - started:.1f} s")
    for question, right in answers.items():
        marks = ["right" if table[engine, question] else "WRONG" for engine in options.engines.split(",")]
        print("  ".join(marks), "", question, f"({len(right)} rows)")
    print(f"{len(table) - wrong} of {len(table)} right")
    if not options.keep:
        shutil.rmtree(folder)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
