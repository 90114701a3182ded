"""The module and the exports with the tools that read them. Needs pyarrow, pandas, polars and duckdb, and the command widetui with
the feature `parquet`; packaging/check.sh runs it in an environment of its own."""

import os
import subprocess
import sys
import tempfile
import unittest

import duckdb
import pandas
import polars
import pyarrow
import widetui

RUN = os.path.join(os.path.dirname(__file__), "..", "..", "demo", "hung.tar.gz")


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
        ):
            self.assertGreater(len(frame), 0)


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

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
        import json

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

    def test_a_picture_in_three_lines(self):
        states = widetui.open(RUN, frames="pandas").states("parsl.task")
        running = states[states["state"] == "launched"]
        self.assertGreater(running["count"].max(), 0)

    def test_parquet_has_statistics_and_declares_no_order(self):
        import pyarrow.parquet

        path = self.path("e.parquet")
        command("export", "-o", path, RUN)
        group = pyarrow.parquet.ParquetFile(path).metadata.row_group(0)
        self.assertTrue(group.column(0).statistics.has_min_max)
        self.assertFalse(group.sorting_columns)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + ["-v"])
