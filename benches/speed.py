#!/usr/bin/env python3
"""Measures widetui on generated runs and prints one table of ratios taken within the same session on the same machine.

Needs only Python's standard library and cargo; see benches/README.md for what each row means."""

import argparse
import contextlib
import fcntl
import json
import os
import pty
import re
import resource
import select
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tarfile
import tempfile
import termios
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TARGET = os.path.join(os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target")), "release")
BYTES_PER_RECORD = {"text": 204, "json": 873}
PROBE = 358
WORD = "heartbeat"


class Broken(Exception):
    """A program under measurement did not do what it was asked."""


class Table:
    """Rows are printed together at the end, so that progress on stderr does not run through them."""

    def __init__(self):
        self.rows = []

    def add(self, what, value, unit="", goal=None, detail=""):
        verdict = "" if goal is None else "ok" if value <= goal else "MISSED"
        self.rows.append((what, f"{value:.3g}{unit}", "" if goal is None else f"<= {goal:g}{unit}", verdict, detail))

    def skip(self, what, why):
        self.rows.append((what, "-", "", "skipped", why))

    def show(self):
        head = ("row", "measured", "goal", "", "detail")
        widths = [max(len(row[i]) for row in [head, *self.rows]) for i in range(4)]
        for row in [head, *self.rows]:
            print("  ".join([f"{cell:{width}}" for cell, width in zip(row, widths)] + [row[4]]).rstrip())


def say(text):
    print(text, file=sys.stderr, flush=True)


class Run:
    """Time and memory of one process, its children included. What it printed goes line by line to `capture`, whose result is
    `output`: whatever this script keeps in memory counts as the peak of each process it starts."""

    def __init__(self, argv, capture=None, files=None):
        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

        # stderr goes to a file, since nobody reads a pipe while wait4 waits.
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            start = time.perf_counter()
            # Captured output goes to a file, the measured runs' to /dev/null, as the user's would.
            process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out if capture else subprocess.DEVNULL,
                                       stderr=err, preexec_fn=limit if files else None)
            _, status, usage = os.wait4(process.pid, 0)
            self.wall = time.perf_counter() - start
            process.returncode = os.waitstatus_to_exitcode(status)
            self.cpu = usage.ru_utime + usage.ru_stime
            self.rss = usage.ru_maxrss * 1024
            if process.returncode != 0:
                err.seek(0)
                last = err.read().decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
                raise Broken(f"{os.path.basename(argv[0])} {argv[1]}: exit {process.returncode}: {last[0][:160]}")
            if capture:
                out.seek(0)
                self.output = capture(line for line in out if line.strip())


def count(lines):
    return sum(1 for _ in lines)


def interleaved(repeats, commands, **options):
    """Runs the commands in turn, so that a change of the machine's load hits all of them; medians of cpu, wall and rss."""
    runs = {name: [] for name in commands}
    for _ in range(repeats):
        for name, argv in commands.items():
            runs[name].append(Run(argv, **options.get(name, {})))
    return {name: {key: statistics.median(getattr(run, key) for run in of) for key in ("cpu", "wall", "rss")}
            for name, of in runs.items()}


class Kit:
    def __init__(self, options, directory):
        self.options = options
        self.directory = directory
        self.table = Table()
        self.widetui = options.widetui or os.path.join(TARGET, "widetui")

    @staticmethod
    def example(name):
        return os.path.join(TARGET, "examples", name)

    def sources(self, path):
        return [self.widetui, "sources", path, "--format", "jsonl"]

    def newlines(self, path):
        return [self.example("yardstick"), "newlines", path]

    @contextlib.contextmanager
    def generated(self, style, events, files=32):
        """A generated run in the page cache; gone afterwards, so that the disk holds few at a time."""
        out = tempfile.mkdtemp(prefix=f"{style}-", dir=self.directory)
        try:
            say(f"generating {events:,} records of {style}")
            subprocess.run([self.example("gen_run"), "--events", str(events), "--style", style, "--files", str(files),
                            "--out", out], check=True, stdout=subprocess.DEVNULL)
            with open(os.path.join(out, "answer.json")) as file:
                answer = json.load(file)
            runinfo = os.path.join(out, "runinfo")
            # An explorer watches files that were changed lately.
            old = time.time() - 86_400
            for parent, _, names in os.walk(runinfo):
                for name in names:
                    os.utime(os.path.join(parent, name), (old, old))
            # Whoever writes pages to the disk meanwhile is measured too.
            os.sync()
            Run(self.newlines(runinfo))
            yield runinfo, answer
        finally:
            shutil.rmtree(out, ignore_errors=True)

    def check(self, path, answer, **options):
        """One run that is not measured: what was read must be what was written, or the speed says nothing."""
        def numbers(lines):
            parsed = (json.loads(line) for line in lines)
            return [(source["records"], source.get("levels") or {}) for source in parsed]

        sources = Run(self.sources(path), capture=numbers, **options).output
        records = sum(n for n, _ in sources)
        if records != answer["total"]["records"]:
            return f"WRONG: {records} records read, {answer['total']['records']} written"
        levels = {}
        for _, of_source in sources:
            for level, n in of_source.items():
                levels[level.upper()] = levels.get(level.upper(), 0) + n
        levels = {level: count for level, count in levels.items() if count}
        return f"{records:,} records" + ("" if levels == answer["total"]["levels"] else ", WRONG levels")

    @contextlib.contextmanager
    def row(self, what):
        """A part that cannot be measured is reported, and the others still run."""
        try:
            yield
        except (Broken, OSError, ValueError, KeyError, TypeError, subprocess.CalledProcessError) as problem:
            self.table.skip(what, str(problem))

    # --- the rows ---

    def load(self, style, megabytes, goal, memory_goal):
        events = megabytes * 1_000_000 // BYTES_PER_RECORD[style]
        with self.row(f"{style} load"), self.generated(style, events) as (path, answer):
            if style == "text":
                self.first_screen(path)
            with self.row(f"{style} load"):
                detail = self.check(path, answer)
                say(f"measuring {style}")
                took = interleaved(self.options.repeats, {"load": self.sources(path), "newlines": self.newlines(path)})
                load, least = took["load"], took["newlines"]
                total = answer["total"]
                rate = f"{total['bytes'] / 1e9 / load['cpu']:.2f} GB per core-second"
                self.table.add(f"{style} load: cpu / newline count", load["cpu"] / least["cpu"], goal=goal,
                               detail=f"{load['cpu']:.3f} s / {least['cpu']:.3f} s, {rate}; {detail}")
                self.table.add(f"{style} load: wall / cpu", load["wall"] / load["cpu"], goal=0.6,
                               detail=f"wall {load['wall']:.3f} s; 0.5 is two cores busy all the time")
                self.table.add(f"{style} load: peak memory / record", load["rss"] / total["records"], " B", memory_goal,
                               detail=f"{load['rss'] / 1e6:.0f} MB for {total['bytes'] / 1e6:.0f} MB of {style}")
            if style == "text":
                self.peer(path, answer)

    def peer(self, path, answer):
        what = f"task {PROBE}: cpu / ripgrep"
        rg = shutil.which(self.options.rg)
        if not rg:
            return self.table.skip(what, f"{self.options.rg} is not installed (--rg names another)")
        self.filter(rg, path)
        with self.row(what):
            ask = [self.widetui, "events", path, "--where", f"parsl.task = {PROBE}", "--format", "jsonl"]
            lines = Run(ask, capture=count).output
            took = interleaved(self.options.repeats, {"ask": ask, "rg": [rg, "-uuu", rf"[Tt]ask {PROBE}\b", path]})
            self.table.add(what, took["ask"]["cpu"] / took["rg"]["cpu"],
                           detail=f"{took['ask']['cpu']:.3f} s / {took['rg']['cpu']:.3f} s, wall {took['ask']['wall']:.3f} s / "
                                  f"{took['rg']['wall']:.3f} s; {lines} records, at least {answer['probe']['records']} name it")

    def filter(self, rg, path):
        """A word in the messages: the whole load is in it, which ripgrep has not to do."""
        what = f"events with '{WORD}': cpu / ripgrep"
        with self.row(what):
            ask = [self.widetui, "events", path, "--where", f"message ~ {WORD}", "--format", "jsonl"]
            search = [rg, "-uuu", "--ignore-case", "--count", WORD, path]
            found = Run(ask, capture=count).output
            hits = Run(search, capture=lambda lines: sum(int(line.rsplit(b":", 1)[-1]) for line in lines)).output
            took = interleaved(self.options.repeats, {"ask": ask, "rg": search})
            self.table.add(what, took["ask"]["cpu"] / took["rg"]["cpu"],
                           detail=f"{took['ask']['cpu']:.3f} s / {took['rg']['cpu']:.3f} s, wall {took['ask']['wall']:.3f} s / "
                                  f"{took['rg']['wall']:.3f} s; {found} records, {hits} lines")

    def archive(self, megabytes):
        what = "tar.gz: wall / inflate alone"
        with self.row(what), self.generated("text", megabytes * 1_000_000 // BYTES_PER_RECORD["text"]) as (path, answer):
            archive = os.path.join(os.path.dirname(path), "runinfo.tar.gz")
            say("packing")
            with tarfile.open(archive, "w:gz", compresslevel=6) as tar:
                tar.add(path, "runinfo")
            detail = self.check(archive, answer)
            commands = {"load": self.sources(archive), "inflate": [self.example("yardstick"), "inflate", archive]}
            if shutil.which("gzip"):
                commands["gzip"] = ["gzip", "-dc", archive]
            took = interleaved(self.options.repeats, commands)
            load, inflate = took["load"], took["inflate"]
            self.table.add(what, load["wall"] / inflate["wall"], goal=1.15,
                           detail=f"{load['wall']:.3f} s / {inflate['wall']:.3f} s; {load['rss'] / 1e6:.0f} MB; {detail}")
            if "gzip" in took:
                gzip = took["gzip"]["wall"]
                self.table.add("tar.gz: wall / gzip -dc", load["wall"] / gzip,
                               detail=f"{load['wall']:.3f} s / {gzip:.3f} s")

    def many_files(self, files):
        what = f"{files:,} files, 256 open: cpu / newline count"
        with self.row(what), self.generated("text", 50 * files, files) as (path, answer):
            detail = self.check(path, answer, files=256)
            few = {"files": 256}
            took = interleaved(self.options.repeats, {"load": self.sources(path), "newlines": self.newlines(path)},
                               load=few, newlines=few)
            load, least = took["load"], took["newlines"]
            self.table.add(what, load["cpu"] / least["cpu"],
                           detail=f"{load['cpu']:.3f} s / {least['cpu']:.3f} s, wall {load['wall']:.3f} s, "
                                  f"{load['rss'] / 1e6:.0f} MB; {len(answer['files']):,} logs, {detail}")

    def growth(self, most):
        what = "growth: cpu per record, largest / smallest"
        sizes = [size for size in (100_000, 1_000_000, 10_000_000, 100_000_000) if size <= most]
        if len(sizes) < 2:
            return
        with self.row(what), contextlib.ExitStack() as runs:
            records, commands = {}, {}
            for size in sizes:
                path, answer = runs.enter_context(self.generated("text", size))
                records[size], commands[size] = answer["total"]["records"], self.sources(path)
            took = interleaved(self.options.repeats, commands)
            each = {size: took[size]["cpu"] / records[size] * 1e9 for size in sizes}
            self.table.add(what, each[sizes[-1]] / each[sizes[0]], goal=1.25,
                           detail=", ".join(f"{size:.0e}: {cost:.0f} ns" for size, cost in each.items()))

    def copies(self, events):
        """Duplicates are found by the bytes of all records that have the same time."""
        what = f"run and {COPIES - 1} copies: cpu per record / one run"
        with self.row(what), self.generated("text", events) as (path, answer):
            detail = self.check(path, answer)
            all_of_them = os.path.join(os.path.dirname(path), "copies")
            for number in range(COPIES):
                shutil.copytree(path, os.path.join(all_of_them, str(number)))
            took = interleaved(self.options.repeats, {"one": self.sources(path), "all": self.sources(all_of_them)})
            one, of_all = took["one"], took["all"]
            self.table.add(what, of_all["cpu"] / COPIES / one["cpu"], goal=2,
                           detail=f"{of_all['cpu']:.3f} s / {COPIES} x {one['cpu']:.3f} s; {detail}")

    def first_screen(self, path):
        what = "first screen of the text run"
        with self.row(what):
            say("opening the explorer")
            took = [first_record(self.widetui, path) for _ in range(self.options.repeats)]
            self.table.add(what, statistics.median(took) * 1e3, " ms", 100,
                           detail=f"{min(took) * 1e3:.0f}-{max(took) * 1e3:.0f} ms, pty of 120x40")


# Runs in the row of copies.
COPIES = 4

# Words of the first and last records of a generated run that no path, tag or help line has; single words, since a terminal
# program may jump over the blanks between them.
RECORD = re.compile(rb"DataFlowKernel|Unregistering")
ESCAPE = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][0-9A-B]|[=>78])")


def answer_queries(terminal, seen, answered):
    """What a terminal would say, since a program that asks may wait for it."""
    for query, reply in ((b"\x1b[c", b"\x1b[?62;22c"), (b"\x1b[6n", b"\x1b[1;1R"),
                         (b"\x1b]11;?", b"\x1b]11;rgb:0000/0000/0000\x1b\\"),
                         (b"\x1b]10;?", b"\x1b]10;rgb:ffff/ffff/ffff\x1b\\")):
        if query in seen and query not in answered:
            answered.add(query)
            os.write(terminal, reply)


def first_record(binary, path, patience=30.0):
    """Seconds from the start of the explorer until the text of a log record is drawn."""
    start = time.perf_counter()
    pid, terminal = pty.fork()
    if pid == 0:
        # The size is set before the program starts: one that comes later would cost it a second draw.
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        os.environ["TERM"] = "xterm-256color"
        try:
            os.execv(binary, [binary, path])
        finally:
            os._exit(127)
    seen, answered, took = b"", set(), None
    try:
        while time.perf_counter() - start < patience:
            if not select.select([terminal], [], [], 0.5)[0]:
                continue
            try:
                piece = os.read(terminal, 65536)
            except OSError:
                break
            if not piece:
                break
            seen += piece
            answer_queries(terminal, seen, answered)
            if RECORD.search(ESCAPE.sub(b"", seen)):
                took = time.perf_counter() - start
                break
    finally:
        stop(pid, terminal)
    if took is None:
        said = ESCAPE.sub(b"", seen).decode(errors="replace").strip().splitlines()[-1:] or ["nothing"]
        raise Broken(f"no record was drawn; it said: {said[0][:120]}")
    return took


def stop(pid, terminal):
    """Ends the explorer as a user would, and by force if that does not help within two seconds."""
    end = time.perf_counter() + 2
    with contextlib.suppress(OSError):
        os.write(terminal, b"q")
    while time.perf_counter() < end:
        if os.waitpid(pid, os.WNOHANG)[0]:
            os.close(terminal)
            return
        # Its last output must be taken, or it blocks while it writes.
        with contextlib.suppress(OSError):
            if select.select([terminal], [], [], 0.02)[0]:
                os.read(terminal, 65536)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(terminal)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--text", type=int, default=1000, metavar="MB", help="size of the text run, 0: leave out (default %(default)s)")
    parser.add_argument("--json", type=int, default=1000, metavar="MB", help="size of the JSON run (default %(default)s)")
    parser.add_argument("--gz", type=int, default=250, metavar="MB", help="text in the tar.gz (default %(default)s)")
    parser.add_argument("--files", type=int, default=20_000, metavar="N", help="worker logs of the run of many files (default %(default)s)")
    parser.add_argument("--grow", type=int, default=10_000_000, metavar="N", help="records of the largest run of the growth row (default %(default)s)")
    parser.add_argument("--copies", type=int, default=300_000, metavar="N", help="records of the run that is copied, 0: leave out (default %(default)s)")
    parser.add_argument("--repeats", type=int, default=5, metavar="N", help="runs of each measurement; the median counts (default %(default)s)")
    parser.add_argument("--widetui", metavar="PROGRAM", help="measure this program instead of the one built here")
    parser.add_argument("--rg", metavar="PROGRAM", default="rg", help="ripgrep, if it is not on the path")
    parser.add_argument("--dir", metavar="DIR", help="where runs are generated (default: the system's temporary directory)")
    return parser.parse_args()


def main():
    options = arguments()
    say("building")
    build = ["cargo", "build", "--release", "--quiet", "--example", "gen_run", "--example", "yardstick"]
    subprocess.run(build if options.widetui else [*build, "--bin", "widetui"], cwd=ROOT, check=True)
    with tempfile.TemporaryDirectory(prefix="widetui-speed-", dir=options.dir) as directory:
        kit = Kit(options, directory)
        if options.text:
            kit.load("text", options.text, goal=8, memory_goal=40)
        if options.json:
            kit.load("json", options.json, goal=13, memory_goal=90)
        if options.gz:
            kit.archive(options.gz)
        if options.files:
            kit.many_files(options.files)
        kit.growth(options.grow)
        if options.copies:
            kit.copies(options.copies)
    kit.table.show()


if __name__ == "__main__":
    main()
