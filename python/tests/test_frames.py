"""The module, its pages and the exports with the tools that read them. Needs pyarrow, pandas, polars, duckdb, matplotlib, nbclient,
ipykernel and mypy, and the command widetui with the feature `parquet`; packaging/check.sh runs it in an environment of its own."""

import gzip
import inspect
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest
import warnings

import duckdb
import pandas
import polars
import pyarrow
import widetui

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
RUN = os.path.join(ROOT, "demo", "hung.tar.gz")


def command(*arguments):
    return subprocess.run([widetui._command(), *arguments], check=True, stdout=subprocess.PIPE).stdout


class Frames(unittest.TestCase):
    def test_each_kind_of_frame_has_the_same_rows(self):
        kinds = {}
        for frames in ("pandas", "polars", "arrow", "rows"):
            run = widetui.open(RUN, frames=frames)
            kinds[frames] = run.spans("parsl.try", by="parsl.app")
        self.assertIsInstance(kinds["pandas"], pandas.DataFrame)
        self.assertIsInstance(kinds["polars"], polars.DataFrame)
        self.assertIsInstance(kinds["arrow"], pyarrow.Table)
        self.assertEqual({len(frame) for frame in kinds.values()}, {37})
        seconds = sum(row["duration_s"] or 0 for row in kinds["rows"])
        self.assertAlmostEqual(kinds["pandas"]["duration_s"].sum(), seconds)
        self.assertAlmostEqual(kinds["polars"]["duration_s"].sum(), seconds)

    def test_times_and_numbers_have_types(self):
        table = widetui.open(RUN, frames="arrow").events()
        schema = table.schema
        self.assertEqual(schema.field("time").type, pyarrow.timestamp("ns", "UTC"))
        self.assertEqual(schema.field("parsl.task").type, pyarrow.int64())
        self.assertEqual(schema.metadata[b"widetui.schema"], b"1")
        self.assertFalse([name for name in schema.names if name.startswith("_")])
        self.assertEqual(table.num_rows, 3694)

    def test_integers_are_exact_in_every_kind_of_frame(self):
        own = widetui._has_arrow
        self.addCleanup(setattr, widetui, "_has_arrow", own)
        for widetui._has_arrow in (own, lambda: False):
            self.integers_are_exact()

    def integers_are_exact(self):
        exact = 2**53 + 1
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "a.jsonl")
            with open(log, "w", encoding="utf-8") as file:
                for number in (exact, None, 7):
                    row = {"time": "2026-03-02T14:00:00Z", "level": "info", "message": "one"}
                    file.write(json.dumps({**row, **({} if number is None else {"n": number})}) + "\n")
            expected = [exact, None, 7]
            frames = {kind: widetui.open(log, frames=kind).events(keys="n") for kind in ("pandas", "polars", "arrow", "rows")}
        self.assertEqual(str(frames["pandas"]["n"].dtype), "Int64")
        self.assertEqual([None if n is pandas.NA else n for n in frames["pandas"]["n"]], expected)
        self.assertEqual(frames["polars"]["n"].to_list(), expected)
        self.assertEqual(frames["arrow"]["n"].to_pylist(), expected)
        arrow = frames["arrow"]
        self.assertEqual([n for (n,) in duckdb.sql("select n from arrow").fetchall()], expected)
        # JSON has no integers beyond 2^53 that every reader takes.
        self.assertEqual([row.get("n") for row in frames["rows"]], [str(exact), None, 7])

    def test_a_task_is_an_integer_in_pandas(self):
        run = widetui.open(RUN, frames="pandas")
        task = run.events(where="parsl.task = 24", keys="parsl.task")["parsl.task"]
        self.assertEqual((str(task.dtype), str(task.iloc[0])), ("Int64", "24"))
        for frame in (run.entities("parsl.task"), run.latency("parsl.task"), run.events()):
            kinds = {name: str(kind) for name, kind in frame.dtypes.items()}
            self.assertNotIn("int64", kinds.values(), kinds)
        self.assertEqual(str(run.events()["parsl.task"].dtype), "Int64")

    def test_one_key_may_be_a_text_and_several_any_iterable(self):
        run = widetui.open(RUN, frames="arrow")
        own = ["time", "source", "level", "message", "template"]
        one = run.events(limit=3, keys="parsl.task")
        self.assertEqual(one.column_names, own + ["parsl.task"])
        names = {"parsl.task", "parsl.app"}
        for keys in (names, sorted(names), iter(sorted(names)), "parsl.app,parsl.task"):
            several = run.events(limit=3, keys=keys)
            self.assertEqual(set(several.column_names) - set(own), names)
        joins = {name for name in ("block", "executor task")}
        self.assertEqual(widetui._option("no_join", joins), ["--no-join={}".format(name) for name in joins])

    def test_what_the_command_says_is_a_warning(self):
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "a.log.gz")
            lines = "".join("2026-03-02 14:00:00 INFO w: job {}\n".format(n) for n in range(20000))
            packed = gzip.compress(lines.encode())
            with open(log, "wb") as file:
                file.write(packed[: len(packed) // 2])
            for frames in ("pandas", "rows"):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    events = widetui.open(log, frames=frames).events()
                self.assertGreater(len(events), 0)
                (one,) = caught
                self.assertIs(one.category, widetui.WidetuiWarning)
                self.assertIn("a.log.gz", str(one.message))
                # The line of the user's code.
                self.assertEqual(one.filename, __file__)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            widetui.open(RUN).events(limit=1)

    def test_selections_and_documents(self):
        run = widetui.open(RUN)
        self.assertEqual(len(run.events(where="level = critical")), 0)
        self.assertEqual(len(run.events(where="parsl.task = 24", limit=3, keys=["parsl.app"])), 3)
        stuck = [row for row in run.hung() if row["kind"] == "entity"]
        self.assertIn({"parsl.dfk": stuck[0]["id"]["parsl.dfk"], "parsl.task": 24}, [r["id"] for r in stuck])
        self.assertEqual(run.diagnose()[0]["severity"], "error")
        with self.assertRaises(widetui.WidetuiError):
            run.spans("no.such.entity")

    def test_every_question_gives_a_frame(self):
        run = widetui.open(RUN)
        for frame in (
            run.sources(),
            run.keys(),
            run.keys("parsl.app"),
            run.entities(),
            run.entities("parsl.worker"),
            run.states("parsl.task"),
            run.concurrency("parsl.try"),
            run.throughput("parsl.task"),
            run.latency("parsl.task"),
            run.series("parsl.pending_tasks"),
            run.flow(),
            run.runs(),
            run.trace("parsl.task=24"),
            run.utilisation("parsl.try"),
            run.joins(),
            run.check(),
            run.contrast("parsl.task = 24"),
            run.compare(a="parsl.task = 24"),
        ):
            self.assertGreater(len(frame), 0)

    def test_without_arrow_frames_are_made_of_json_lines(self):
        own = widetui._has_arrow
        self.addCleanup(setattr, widetui, "_has_arrow", own)
        for frames in ("pandas", "polars", "arrow"):
            run = widetui.open(RUN, frames=frames)
            widetui._has_arrow = own
            typed = [run.events(), run.entities("parsl.task")]
            widetui._has_arrow = lambda: False
            lines = [run.events(), run.entities("parsl.task")]
            for one, other in zip(typed, lines):
                self.assertEqual(len(one), len(other))
            tasks = [list(events["parsl.task"]) for events in (typed[0], lines[0])]
            tasks = [[None if str(task) in ("<NA>", "None") else int(str(task)) for task in own] for own in tasks]
            self.assertEqual(tasks[0], tasks[1])
            for at, name in ((0, "time"), (1, "start"), (1, "end")):
                kinds = [str(getattr(frame[at][name], "type", None) or frame[at][name].dtype) for frame in (typed, lines)]
                self.assertEqual(kinds[0], kinds[1], name)
                self.assertIn("ns", kinds[0])
            times = [[str(time) for time in events["time"]] for events in (typed[0], lines[0], run.trace("parsl.task=24"))]
            self.assertEqual(times[0], times[1])
            self.assertLessEqual(set(times[2]), set(times[1]))

    def test_records_come_one_by_one(self):
        run = widetui.open(RUN)
        records = run.records(keys="parsl.task")
        self.assertEqual(next(records)["source"], "dfk")
        records.close()
        rows = list(run.records(where="parsl.task = 24"))
        self.assertEqual(rows, widetui.open(RUN, frames="rows").events(where="parsl.task = 24"))
        with self.assertRaisesRegex(widetui.WidetuiError, "no.such.file"):
            list(widetui.open("no.such.file").records())

    def test_records_of_a_run_that_is_still_written(self):
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "a.log")
            with open(log, "w", encoding="utf-8") as file:
                file.write("2026-03-02 14:00:00 INFO w: first\n")
                file.flush()
                records = widetui.open(log).records(follow=True)
                self.assertIn("first", next(records)["message"])
                file.write("2026-03-02 14:00:01 INFO w: second\n")
                file.flush()
                self.assertIn("second", next(records)["message"])
                records.close()

    def test_files_and_the_page_of_a_notebook(self):
        with tempfile.TemporaryDirectory() as folder:
            run = widetui.open(RUN)
            lines, page = os.path.join(folder, "e.jsonl"), os.path.join(folder, "r.md")
            run.export(lines)
            run.report(page)
            with self.assertRaisesRegex(widetui.WidetuiError, "the file exists"):
                run.report(page)
            run.report(page, force=True)
            with open(lines, encoding="utf-8") as file:
                self.assertEqual(sum(1 for _ in file), 3694)
            self.assertGreater(os.path.getsize(page), 1000)
            html = widetui.open(RUN)._repr_html_()
            self.assertIn("<td>000</td>", html)


class Module(unittest.TestCase):
    def test_every_method_is_described_with_its_units_and_typed(self):
        methods = inspect.getmembers(widetui.Run, inspect.isfunction)
        methods = {name: method for name, method in methods if not name.startswith("_")}
        answers = {"events", "entities", "spans", "states", "latency", "series", "flow", "hung", "diagnose"}
        self.assertLessEqual(answers, set(methods))
        for name, method in methods.items():
            signature = inspect.signature(method)
            self.assertIsNot(signature.return_annotation, signature.empty, name)
            for parameter in list(signature.parameters.values())[1:]:
                self.assertIsNot(parameter.annotation, parameter.empty, (name, parameter))
            self.assertTrue(method.__doc__, name)
            if name in answers:
                self.assertRegex(method.__doc__, "UTC|seconds", name)

    def test_the_module_is_the_command(self):
        done = subprocess.run([sys.executable, "-m", "widetui", "--version"], stdout=subprocess.PIPE)
        self.assertEqual(done.stdout, command("--version"))
        self.assertIn(widetui.__version__, done.stdout.decode())

    def test_types_are_checked(self):
        done = subprocess.run([sys.executable, "-m", "mypy"], cwd=ROOT, stdout=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stdout.decode())

    def test_a_later_version_of_the_fields_is_refused(self):
        self.assertNotIn("_schema", widetui.open(RUN).hung()[0])
        with tempfile.TemporaryDirectory() as folder:
            later = os.path.join(folder, "widetui")
            with open(later, "w", encoding="utf-8") as file:
                file.write("""#!/bin/sh\necho '{"kind":"summary","_schema":2}'\n""")
            os.chmod(later, 0o755)
            own, widetui._command = widetui._command, lambda: later
            try:
                with self.assertRaisesRegex(widetui.WidetuiError, "later version"):
                    widetui.open(RUN).hung()
            finally:
                widetui._command = own


class InFolder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)


class Pages(InFolder):
    """What the pages show runs, and both ways to the same numbers agree."""

    def test_the_page_about_notebooks(self):
        import matplotlib

        matplotlib.use("Agg")
        with open(os.path.join(ROOT, "docs", "src", "recipes", "notebooks.md"), encoding="utf-8") as file:
            blocks = re.findall(r"(<!-- .*? -->)?\n```(python|console)\n(.*?)```", file.read(), re.DOTALL)
        with tarfile.open(RUN) as archive:
            archive.extractall(self.folder.name)
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder.name)
        names, pictures = {}, []
        for mark, language, text in blocks:
            # Marked blocks run elsewhere: as tests of the program.
            if mark:
                continue
            if language == "console":
                for line in text.splitlines():
                    self.assertEqual(line.split()[:2], ["$", "widetui"], line)
                    command(*line.split()[2:])
                continue
            *lines, last = text.strip().splitlines()
            if last.endswith('.plot(drawstyle="steps-post")'):
                # Four lines: import, spans, steps, plot.
                self.assertEqual(len(lines), 3)
                exec("\n".join(lines), names)
                frame = last.removesuffix('.plot(drawstyle="steps-post")')
                names["in_pandas"] = eval(frame, names)
                pictures.append(eval(last, names))
            else:
                exec(text, names)
        self.assertEqual(len(pictures), 1)
        picture = self.path("running.png")
        pictures[0].figure.savefig(picture)
        self.assertGreater(os.path.getsize(picture), 5000)
        in_pandas, in_sql = names["in_pandas"], names["running"]
        self.assertEqual(set(in_sql["app"]), set(in_pandas.columns))
        for app, line in in_sql.groupby("app"):
            times = pandas.to_datetime(line["time"], utc=True)
            self.assertEqual(list(in_pandas[app].reindex(times)), list(line["running"]), app)
        self.assertEqual(in_pandas["wait_for_file"].iloc[-1], 1)

    def test_the_notebook(self):
        import nbclient
        import nbformat

        with open(os.path.join(ROOT, "python", "examples", "hung_run.ipynb"), encoding="utf-8") as file:
            notebook = nbformat.read(file, as_version=4)
        os.environ["RUN"] = RUN
        client = nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": self.folder.name}})
        client.execute()
        pictures = [output for cell in notebook.cells for output in cell.get("outputs", []) if "image/png" in output.get("data", {})]
        self.assertEqual(len(pictures), 3)
        text = json.dumps(notebook.cells)
        for shown in ("wait_for_file", "began and never ended", "12 waiters", "parsl.execute"):
            self.assertIn(shown, text)


class Files(InFolder):

    def test_duckdb_polars_and_pandas_read_the_exports_without_options(self):
        parquet, lines, csv = self.path("e.parquet"), self.path("e.jsonl"), self.path("e.csv")
        for path in (parquet, lines, csv):
            command("export", "--flat", "-o", path, RUN)
        query = 'select count(*), count("parsl.task"), sum("parsl.task"), min(time), max(time) from \'{}\''
        answers = [duckdb.sql(query.format(path)).fetchall()[0] for path in (parquet, lines, csv)]
        self.assertEqual(answers[0][:3], answers[1][:3])
        self.assertEqual(answers[0][:3], answers[2][:3])
        self.assertEqual(answers[0][0], 3694)
        tasks = answers[0][2]
        self.assertEqual(polars.read_parquet(parquet)["parsl.task"].sum(), tasks)
        self.assertEqual(polars.read_ndjson(lines, infer_schema_length=None)["parsl.task"].sum(), tasks)
        self.assertEqual(pandas.read_parquet(parquet)["parsl.task"].sum(), tasks)
        self.assertEqual(pandas.read_json(lines, lines=True)["parsl.task"].sum(), tasks)

    def test_the_type_of_a_key_is_its_type_in_every_row(self):
        path = self.path("e.jsonl")
        command("export", "--flat", "-o", path, RUN)
        types = {}
        with open(path, encoding="utf-8") as file:
            for line in file:
                for name, value in json.loads(line).items():
                    types.setdefault(name, set()).add(type(value))
        # A number without a fraction is still a number of JSON.
        mixed = {name: found for name, found in types.items() if len(found) > 1 and found != {int, float}}
        self.assertEqual(mixed, {})

    def test_parquet_has_statistics_and_declares_no_order(self):
        import pyarrow.parquet

        path = self.path("e.parquet")
        command("export", "-o", path, RUN)
        group = pyarrow.parquet.ParquetFile(path).metadata.row_group(0)
        columns = [group.column(at) for at in range(group.num_columns)]
        time = next(column for column in columns if column.path_in_schema == "time")
        self.assertTrue(time.statistics.has_min_max)
        self.assertFalse(group.sorting_columns)
        self.assertIn("DELTA_BINARY_PACKED", time.encodings)

    def test_engines_read_a_store_of_different_runs_without_options(self):
        store = self.path("store")
        others = os.path.join(ROOT, "tests", "data", "queue-run")
        for name, run in (("a", RUN), ("b", others)):
            widetui.open(run).export(store + "/", run=name)
        expected = {"a": len(widetui.open(RUN).events()), "b": len(widetui.open(others).events())}
        events = os.path.join(store, "events")
        query = "select run, count(*), count(parsl_task), max(time) - min(time), count(keys['job']) from '{}/*.parquet' group by run order by run"
        rows = duckdb.sql(query.format(events)).fetchall()
        self.assertEqual({run: count for run, count, *_ in rows}, expected)
        tasks = widetui.open(RUN, frames="polars").events(keys="parsl.task")["parsl.task"]
        self.assertEqual([row[2] for row in rows], [len(tasks.drop_nulls()), 0])
        self.assertGreater(rows[0][3].total_seconds(), 0)
        self.assertGreater(rows[1][4], 0)
        sums = polars.scan_parquet(events).group_by("run").agg(polars.col("parsl_task").sum()).collect()
        self.assertEqual(dict(sums.rows()), {"a": tasks.sum(), "b": 0})
        self.assertEqual(len(widetui.open(store, frames="rows").events()), sum(expected.values()))

    def test_few_records_have_a_place_as_most_follow_the_previous_one(self):
        path = self.path("e.parquet")
        command("export", "-o", path, RUN)
        places = pandas.read_parquet(path)["_at"]
        self.assertGreater(places.count(), 0)
        self.assertLess(places.count(), len(places) / 10)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + ["-v"])
