"""Tests of what counts as right: `python3 -m unittest discover benches/faults`."""

import tempfile
import unittest
from pathlib import Path

import make
import score

LOG = """\
2026-03-01 10:00:00,100 INFO tile 1 done
2026-03-01 10:00:01,200 ERROR disk is full
2026-03-01 10:00:02,300 INFO tile 2 done
2026-03-01 10:00:03,400 ERROR disk is full
2026-03-01 10:00:04,500 ERROR tile 3 failed
Traceback (most recent call last):
  File "a.py", line 3, in <module>
ValueError: negative size
2026-03-01 10:00:05,600 ERROR tile 4 failed
Traceback (most recent call last):
  File "a.py", line 3, in <module>
ValueError: no such column
"""


class Matching(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "run/sub").mkdir(parents=True)
        (self.folder / "run/a.log").write_text(LOG)
        (self.folder / "run/sub/b.log").write_text("10:00:01 disk is full\n")
        (self.folder / "run/c.jsonl").write_text('{"t": 1, "msg": "lost \\"n1\\"\\nat once"}\n{"t": 2, "msg": "found"}\n')
        self.run_ = score.Run(self.folder)

    def right(self, cause, message, subject=None, truth=(), innocent=(), **more):
        finding = {"subject": subject, "evidence": [{"message": message, "source": "", "time": None} | more]}
        return score.is_right(finding, {"cause": cause, "subject": list(truth), "innocent": list(innocent)}, self.run_)

    def test_evidence_is_the_line_of_the_cause(self):
        self.assertTrue(self.right(["run/a.log:1"], "tile 1 done"))
        self.assertFalse(self.right(["run/a.log:3"], "tile 1 done"))

    def test_a_traceback_is_one_record(self):
        message = 'tile 3 failed\nTraceback (most recent call last):\n  File "a.py", line 3, in <module>\nValueError: negative size'
        self.assertTrue(self.right(["run/a.log:8"], message))
        self.assertTrue(self.right(["run/a.log:5"], message))
        self.assertFalse(self.right(["run/a.log:12"], message))

    def test_frames_of_a_traceback_lead_to_its_exception(self):
        self.assertTrue(self.right(["run/a.log:8"], 'tile 3 failed\nTraceback (most recent call last):\n  File "a.py", line 3, in <module>'))
        self.assertFalse(self.right(["run/a.log:9"], 'tile 3 failed\nTraceback (most recent call last):\n  File "a.py", line 3, in <module>'))

    def test_records_with_one_first_line_differ_by_the_others(self):
        message = 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\nValueError: no such column'
        self.assertTrue(self.right(["run/a.log:12"], message))
        self.assertFalse(self.right(["run/a.log:8"], message))

    def test_a_text_at_several_places_needs_the_time_or_the_source(self):
        self.assertFalse(self.right(["run/a.log:4"], "disk is full"))
        self.assertTrue(self.right(["run/a.log:4"], "disk is full", time="2026-03-01T10:00:03.400000000Z", source="a"))
        self.assertFalse(self.right(["run/a.log:2"], "disk is full", time="2026-03-01T10:00:03.400000000Z", source="a"))
        self.assertTrue(self.right(["run/sub/b.log:1"], "disk is full", source="b.log"))
        self.assertFalse(self.right(["run/sub/b.log:1"], "disk is full", source="a.log"))
        self.assertTrue(self.right(["run/a.log:2", "run/a.log:4", "run/sub/b.log:1"], "disk is full"))

    def test_file_and_line_decide_alone(self):
        self.assertTrue(self.right(["run/a.log:4"], "disk is full", file="a.log", line_number=4))
        self.assertFalse(self.right(["run/a.log:4"], "disk is full", file="a.log", line_number=2))
        self.assertFalse(self.right(["run/a.log:1"], "tile 1 done", file="run/sub/b.log", line_number=1))
        self.assertTrue(self.right(["run/a.log:8"], "tile 3 failed\n\n\nx", file="/x/run/a.log", line_number=5))

    def test_lines_of_json(self):
        self.assertTrue(self.right(["run/c.jsonl:1"], 'lost "n1"\nat once'))
        self.assertFalse(self.right(["run/c.jsonl:2"], 'lost "n1"\nat once'))

    def test_a_message_of_other_form_quotes_the_cause(self):
        self.assertTrue(self.right(["run/a.log:8"], "ended by: ValueError: negative size"))
        self.assertFalse(self.right(["run/a.log:8"], "ended by: ValueError"))

    def test_subjects(self):
        task = {"entity": "parsl.task", "id": {"parsl.dfk": "a1", "parsl.task": 7}}
        for truth, right in ((["task 7"], True), (["7"], True), (["task 17"], False), (["block 7"], False), (["dfk a1"], True)):
            self.assertEqual(score.is_subject(task, truth), right, truth)
        self.assertTrue(score.is_subject({"entity": "dask.task", "id": {"dask.key": "f-1"}}, ["task f-1"]))
        self.assertFalse(score.is_subject(None, ["task 7"]))

    def test_an_innocent_subject_is_not_right(self):
        subject = {"entity": "node", "id": {"node": "n2"}}
        self.assertTrue(self.right(["run/a.log:1"], "tile 1 done", subject))
        self.assertFalse(self.right(["run/a.log:1"], "tile 1 done", subject, innocent=["node n2"]))
        self.assertTrue(self.right(["run/a.log:1"], "tile 2 done", subject, truth=["node n2"]))


class Sums(unittest.TestCase):
    def truth(self, outcome="failed", **more):
        return {"outcome": outcome, "kind": "exception", "system": "x", "subject": [], "innocent": [], "cause": []} | more

    def test_healthy_runs_are_right_without_errors(self):
        findings = [{"rank": 1, "severity": "warning", "title": "a"}]
        verdict = score.judged(findings, self.truth("healthy"), None)
        sums = score.Sums.over([(self.truth("healthy"), verdict)])
        self.assertEqual((sums.healthy, sums.false_errors, sums.warnings, sums.faults), (1, 0, 1, 0))

    def test_nothing_found(self):
        sums = score.Sums.over([(self.truth(), score.judged([], self.truth(), None))])
        self.assertEqual((sums.faults, sums.first, sums.nothing), (1, 0, 1))

    def test_small_groups_are_put_together(self):
        truths = [self.truth(kind=k) for k in "aaaaaabbc"]
        groups = score.grouped(truths, lambda t: t["kind"], 5)
        self.assertTrue(all(len(numbers) >= 5 for numbers in groups.values()))
        self.assertEqual(sum(map(len, groups.values())), 9)


class Places(unittest.TestCase):
    def test_expressions_over_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "run").mkdir()
            (Path(folder) / "run/a.log").write_text("a\nb 1 begun\nb 2 begun\nb 1 ended\n")
            lines = lambda place: [line for _, line, _ in make.places(Path(folder), {"file": "*.log"} | place)]
            self.assertEqual(lines({"text": "begun"}), [2, 3])
            self.assertEqual(lines({"text": "begun", "which": "last"}), [3])
            self.assertEqual(lines({"text": r"b (\d) begun(?![\s\S]*b \1 ended)"}), [3])

    def test_split_of_a_program(self):
        self.assertEqual(make.split("parsl/app_raises"), make.split("parsl/app_raises"))
        share = sum(make.split(f"x/{n}") == "untouched" for n in range(1000))
        self.assertTrue(350 < share < 450)


if __name__ == "__main__":
    unittest.main()
