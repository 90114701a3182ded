#!/usr/bin/env python3
"""How often the findings of `widetui diagnose` name the causes of labelled scenarios.

    python3 benches/faults/score.py BINARY [BINARY2] [--split developed|untouched|all] [--detail] [--leave-out system|kind] [--labelled FOLDER]

Runs `BINARY diagnose RUN --format jsonl` on each scenario below `labelled/`, and compares the findings with truth.toml (README.md). Of
untouched scenarios only sums over five or more are printed. `--detail` prints each developed scenario. `--leave-out` prints, as JSON lines,
the sums of the developed scenarios of each system or kind and of all others.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path

import make

FEWEST = 5
JOBS = 2
LONGEST = 60
SPLITS = ("developed", "untouched")
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\\u001b\[[0-9;]*m")
CLOCK = re.compile(r"\b\d{1,2}:(\d\d):(\d\d)(?:[.,](\d{1,9}))?")
EPOCH = re.compile(r"(?<![\d.])(1\d{9})(?:\.?(\d{1,9}))?(?!\d)")
STAMP = re.compile(
    r"^\W*(?:\d{4}[-/]\d\d[-/]\d\d[T ]?|[A-Z][a-z]{2} +\d{1,2} )?(?:\d{1,2}:\d\d:\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?\W*"
)
SHORTEST = 8


def plain(text):
    """The text without colours, its white space reduced to single spaces."""
    return " ".join(ESCAPES.sub("", text).split())


def unescaped(line):
    """The texts of a line of JSON, or nothing."""
    if not line.lstrip().startswith("{"):
        return []
    try:
        values = json.loads(line)
    except ValueError:
        return []
    return [plain(part) for value in values.values() if isinstance(value, str) for part in value.split("\n")]


def has_time(line, time):
    """Whether a line has the time of a record, whatever the zone and the precision of its stamp."""
    moment = datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", time))
    for minute, second, fraction in CLOCK.findall(line):
        if (int(minute), int(second)) == (moment.minute, moment.second):
            precision = 10 ** min(len(fraction), 3)
            if not fraction or int(fraction[:3]) == moment.microsecond * precision // 1_000_000:
                return True
    return any(int(seconds) == int(moment.timestamp()) for seconds, _ in EPOCH.findall(line))


def has_label(file, label):
    """Whether a source label names a file: both share a component, or one has the other's name in its own."""
    parts = [p for p in re.split(r"[/: ]", label) if p]
    names = {n for component in Path(file).parts[1:] for n in (component, component.partition(".")[0])}
    return any(p in names or p.partition(".")[0] in names or (len(p) >= 4 and p in file) for p in parts)


@dataclass(frozen=True)
class Span:
    """Lines of a file, from the first to the last, from 1."""

    file: str
    first: int
    last: int

    def holds(self, place):
        return self.file == place.file and self.first <= place.first <= self.last


class Run:
    """The logs of a scenario, by lines."""

    def __init__(self, folder):
        self.folder = folder

    @cached_property
    def files(self):
        """Lines by the name of their file, as `truth.toml` gives it."""
        paths = sorted(p for p in (self.folder / "run").rglob("*") if p.is_file())
        return {str(p.relative_to(self.folder)): p.read_text(errors="replace").split("\n") for p in paths}

    @cached_property
    def texts(self):
        """Lines without colours and repeated spaces, with the texts of lines of JSON."""
        return {file: [[plain(line), *unescaped(line)] for line in lines] for file, lines in self.files.items()}

    def line(self, place):
        return self.files[place.file][place.first - 1]

    def spans(self, message):
        """Where a record stands: from the line that has the first line of its message, over all lines that follow as in it."""
        wanted = [text for line in message.split("\n") if (text := plain(line))]
        if not wanted:
            return []
        found = []
        for file, lines in self.texts.items():
            for n, line in enumerate(lines):
                if any(wanted[0] in text for text in line):
                    # A line of JSON is a whole record.
                    last = n + (1 if len(line) > 1 else len(message.split("\n")))
                    if any(text.startswith("Traceback (most recent call last)") for text in wanted):
                        last = self.end_of_traceback(file, last)
                    found.append((self.followed(lines, n, wanted), Span(file, n + 1, last)))
        # A first line such as "Traceback" stands at many places, of which the right one has the other lines too.
        most = max((count for count, _ in found), default=0)
        return [span for count, span in found if count == most]

    def end_of_traceback(self, file, last):
        """The line of the exception, if a record ends with the frames before it."""
        lines, end = self.files[file], last
        while end < len(lines) and lines[end - 1].startswith(" "):
            end += 1
        return end

    def followed(self, lines, start, wanted):
        """How many of the lines of a message follow each other from a line on."""
        if len(wanted) > 1 and any(wanted[-1] in text for text in lines[start]):
            return len(wanted)
        count, at = 1, start + 1
        for text in wanted[1:]:
            while at < len(lines) and lines[at] == [""]:
                at += 1
            if at == len(lines) or not any(text in t for t in lines[at]):
                break
            count, at = count + 1, at + 1
        return count

    def told_apart(self, spans, evidence):
        """The places of a text that fit the source or the time of a record, if the text stands at several."""
        if len(spans) < 2:
            return spans
        source, time = evidence.get("source") or "", evidence.get("time")
        by_label = [s for s in spans if source and has_label(s.file, source)]
        by_time = [s for s in spans if time and has_time(self.line(s), time)]
        both = [s for s in by_label if s in by_time]
        return both or by_time or by_label


def parsed(place):
    file, _, line = place.rpartition(":")
    return Span(file, int(line), int(line))


def is_cause(evidence, causes, run):
    """Whether a record that a finding quotes is one of the cause's."""
    message = evidence.get("message") or ""
    if evidence.get("file") and evidence.get("line_number"):
        first = int(evidence["line_number"])
        last = first + message.count("\n")
        same = lambda file: ("/" + str(evidence["file"])).endswith("/" + file.removeprefix("run/")) or ("/" + file).endswith("/" + str(evidence["file"]))
        return any(same(c.file) and first <= c.first <= last for c in causes)
    if spans := run.told_apart(run.spans(message), evidence):
        return any(span.holds(cause) for span in spans for cause in causes)
    if run.spans(message):
        # At several places, none of which fits: right if the cause stands at all of them.
        return all(any(span.holds(cause) for cause in causes) for span in run.spans(message))
    # The message is not a part of a line: the cause's line may be a part of the message.
    text = plain(message)
    quoted = [c for c in causes if len(body := STAMP.sub("", plain(run.line(c)))) >= SHORTEST and body in text]
    return bool(run.told_apart(quoted, evidence) if len(quoted) > 1 else quoted)


def words(subject):
    """The class and the value of a subject of the truth; a single word has no class."""
    name, space, value = subject.partition(" ")
    return (name.lower(), value) if space else ("", name)


def is_subject(subject, names):
    """Whether the subject of a finding is one of some instances."""
    if not subject:
        return False
    entity = (subject.get("entity") or "").rpartition(".")[2].lower()
    for key, given in (subject.get("id") or {}).items():
        classes = {key.rpartition(".")[2].lower(), entity} - {""}
        for value in given if isinstance(given, list) else [given]:
            for wanted, name in map(words, names):
                if str(value) == name and (not wanted or not classes or wanted in classes):
                    return True
    return False


def is_right(finding, truth, run, records=1):
    """Whether a finding names the cause, by its subject or one of the first records that it quotes."""
    subject = finding.get("subject")
    if is_subject(subject, truth["innocent"]):
        return False
    causes = [parsed(place) for place in truth["cause"]]
    quoted = (finding.get("evidence") or [])[:records]
    return is_subject(subject, truth["subject"]) or any(is_cause(record, causes, run) for record in quoted)


@dataclass
class Verdict:
    """What a program answered about a scenario."""

    rank: int | None = None
    found: int = 0
    quoted: bool = False
    subject: bool = False
    errors: int = 0
    warnings: int = 0
    failed: str = ""
    titles: list = field(default_factory=list)


def judged(findings, truth, run):
    findings = sorted(findings, key=lambda f: f.get("rank") or 0)
    verdict = Verdict(found=len(findings), titles=[f"{f['severity']}: {f.get('title', '')}" for f in findings[:3]])
    verdict.errors = sum(f["severity"] == "error" for f in findings)
    verdict.warnings = sum(f["severity"] == "warning" for f in findings)
    if truth["outcome"] != "healthy":
        ranks = [n for n, finding in enumerate(findings, 1) if is_right(finding, truth, run)]
        verdict.rank = ranks[0] if ranks else None
        verdict.quoted = bool(findings) and is_right(findings[0], truth, run, records=None)
        verdict.subject = bool(findings) and is_subject(findings[0].get("subject"), truth["subject"])
    return verdict


def asked(binary, folder, truth, home):
    """The verdict on a program's findings about a scenario."""
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "WIDETUI"))} | {"HOME": home, "TZ": "UTC"}
    try:
        done = subprocess.run(
            # A relative path: the name of a scenario may name its fault.
            [binary, "diagnose", "run", "--format", "jsonl"],
            capture_output=True, timeout=LONGEST, env=variables, cwd=folder, stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return Verdict(failed=f"no answer after {LONGEST} s")
    if done.returncode not in (0, 1):
        return Verdict(failed=done.stderr.decode(errors="replace")[-300:] or f"exit status {done.returncode}")
    rows = [json.loads(line) for line in done.stdout.decode().splitlines() if line]
    return judged([row for row in rows if "severity" in row], truth, Run(folder))


# Sums.


@dataclass
class Sums:
    """Counts over scenarios; of faults and of healthy runs."""

    faults: int = 0
    first: int = 0
    three: int = 0
    quoted: int = 0
    nothing: int = 0
    subjects: int = 0
    subject: int = 0
    healthy: int = 0
    false_errors: int = 0
    warnings: int = 0
    failed: int = 0

    def __len__(self):
        return self.faults + self.healthy

    @classmethod
    def over(cls, pairs):
        """Sums over truths and verdicts; of healthy runs, how many have a finding of severity error, or a warning."""
        sums = cls()
        for truth, verdict in pairs:
            sums.failed += bool(verdict.failed)
            if truth["outcome"] == "healthy":
                sums.healthy += 1
                sums.false_errors += verdict.errors > 0
                sums.warnings += verdict.warnings > 0
                continue
            sums.faults += 1
            sums.first += verdict.rank == 1
            sums.three += verdict.rank is not None and verdict.rank <= 3
            sums.quoted += verdict.quoted
            sums.nothing += verdict.found == 0
            sums.subjects += bool(truth["subject"])
            sums.subject += bool(truth["subject"]) and verdict.subject
        return sums


COLUMNS = {
    "faults": lambda s: s.faults,
    "first": lambda s: s.first if s.faults else "",
    "of 100": lambda s: round(100 * s.first / s.faults) if s.faults else "",
    "in three": lambda s: s.three if s.faults else "",
    "quoted": lambda s: s.quoted if s.faults else "",
    "nothing": lambda s: s.nothing if s.faults else "",
    "subject": lambda s: f"{s.subject} of {s.subjects}" if s.subjects else "",
    "healthy": lambda s: s.healthy,
    "false errors": lambda s: s.false_errors if s.healthy else "",
    "warnings": lambda s: s.warnings if s.healthy else "",
}


def grouped(truths, value, few):
    """Numbers of scenarios by a value; groups with fewer than `few` are put together."""
    groups = {}
    for n, truth in enumerate(truths):
        groups.setdefault(value(truth), []).append(n)
    small = sorted((g for g in groups if len(groups[g]) < few), key=lambda g: len(groups[g]))
    rest = [n for g in small for n in groups.pop(g)]
    while rest and len(rest) < few and groups:
        rest += groups.pop(min(groups, key=lambda g: len(groups[g])))
    named = dict(sorted(groups.items()))
    return named | ({"others": rest} if len(rest) >= few else {})


def table(heading, truths, verdicts, few=1):
    """Lines of a table of sums; values of several programs stand side by side."""
    if len(truths) < few:
        return []
    rows = [("all", range(len(truths)))]
    for key in (lambda t: make.KINDS[t["kind"]]["group"], lambda t: t["kind"], lambda t: t["system"], lambda t: t["made"]):
        groups = grouped(truths, key, few)
        rows += [("", None), *groups.items()] if len(groups) > 1 else []
    cells = [[heading, *COLUMNS, ""]]
    for name, numbers in rows:
        if numbers is None:
            cells.append([""] * len(cells[0]))
            continue
        sums = [Sums.over([(truths[n], given[n]) for n in numbers]) for given in verdicts]
        row = [name]
        for column in COLUMNS.values():
            values = [str(column(s)) for s in sums]
            same = values[0] == "" or column in (COLUMNS["faults"], COLUMNS["healthy"])
            row.append(values[0] if same else " | ".join(values))
        failed = any(s.failed for s in sums)
        cells.append([*row, f"no answer: {' | '.join(str(s.failed) for s in sums)}" if failed else ""])
    widths = [max(len(row[n]) for row in cells) for n in range(len(cells[0]))]
    lines = ["  ".join(c.rjust(w) if n else c.ljust(w) for n, (c, w) in enumerate(zip(row, widths))).rstrip() for row in cells]
    return [*lines, ""]


def left_out(key, truths, verdicts):
    """Rows of sums of each system or kind, and of all others."""
    for value in sorted({t[key] for t in truths}):
        for part, wanted in (("in", True), ("out", False)):
            chosen = [n for n, t in enumerate(truths) if (t[key] == value) == wanted]
            for binary, given in enumerate(verdicts, 1):
                yield {key: value, "part": part, "binary": binary} | vars(Sums.over([(truths[n], given[n]) for n in chosen]))


def described(verdict, truth):
    if truth["outcome"] == "healthy":
        return f"{verdict.errors} errors, {verdict.warnings} warnings" if verdict.errors or verdict.warnings else "right"
    return verdict.failed and "no answer" or ("right" if verdict.rank == 1 else f"rank {verdict.rank}" if verdict.rank else "nothing" if not verdict.found else "wrong")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", type=Path)
    parser.add_argument("other", type=Path, nargs="?", help="a second program, to be compared")
    parser.add_argument("--split", choices=(*SPLITS, "all"), default="all")
    parser.add_argument("--only", action="append", default=[], metavar="WORD", help="developed scenarios whose name contains WORD")
    parser.add_argument("--detail", action="store_true", help="print each developed scenario")
    parser.add_argument("--leave-out", choices=("system", "kind"), help="print the sums with and without each system or kind")
    parser.add_argument("--labelled", type=Path, default=make.LABELLED, help="folder of the scenarios")
    args = parser.parse_args()
    binaries = [b.resolve() for b in (args.binary, args.other) if b]
    for binary in binaries:
        if not os.access(binary, os.X_OK):
            sys.exit(f"no program {binary}: build it with `cargo build --release`, and name target/release/widetui")

    with tempfile.TemporaryDirectory() as temporary:
        folders = {"developed": sorted(p.parent for p in args.labelled.glob("*/truth.toml")), "untouched": []}
        if args.split != "developed" and not args.only and not args.leave_out:
            archive = args.labelled / make.UNTOUCHED.name
            for name, (text, changed) in make.unpacked(archive).items():
                file = Path(temporary) / "untouched" / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(text)
                os.utime(file, (changed, changed))
            folders["untouched"] = sorted(p.parent for p in Path(temporary).glob("untouched/*/truth.toml"))
        if args.split == "untouched":
            folders["developed"] = []
        folders["developed"] = [f for f in folders["developed"] if all(word in f.name for word in args.only)]
        truths = {split: [tomllib.loads((f / "truth.toml").read_text()) for f in folders[split]] for split in SPLITS}
        home = Path(temporary) / "home"
        home.mkdir()
        with ThreadPoolExecutor(JOBS) as pool:
            verdicts = {
                split: [list(pool.map(lambda f, t: asked(b, f, t, str(home)), folders[split], truths[split])) for b in binaries] for split in SPLITS
            }

    if args.leave_out:
        for row in left_out(args.leave_out, truths["developed"], verdicts["developed"]):
            print(json.dumps(row))
        return 0
    if args.detail:
        for n, (folder, truth) in enumerate(zip(folders["developed"], truths["developed"])):
            given = [v[n] for v in verdicts["developed"]]
            print(f"{folder.name:48} {truth['kind']:18} {' | '.join(described(v, truth) for v in given)}")
            for verdict in given:
                if described(verdict, truth) != "right":
                    print("".join(f"    {title[:140]}\n" for title in verdict.titles[:2]) or f"    {verdict.failed or 'no finding'}\n", end="")
        print()
    for split in SPLITS:
        print("\n".join(table(split, truths[split], verdicts[split], FEWEST if split == "untouched" else 1)))
    if args.split == "all" and truths["untouched"] and truths["developed"]:
        both = [SPLITS[0], SPLITS[1]]
        for binary, given in zip(binaries, zip(*(verdicts[s] for s in both))):
            total = Sums.over([pair for s, part in zip(both, given) for pair in zip(truths[s], part)])
            print(
                f"{binary.name}: first {total.first} of {total.faults}, in three {total.three}, nothing {total.nothing}, subject {total.subject} of "
                f"{total.subjects}; false errors on {total.false_errors} of {total.healthy} healthy runs, warnings on {total.warnings}"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
