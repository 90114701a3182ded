#!/usr/bin/env python3
"""Compares widetui with other programs that read logs, on one run after another.

    python3 benches/peers.py RUN... [--widetui PROGRAM] [--json RUN] [--word heartbeat] [--repeats 3] [--seconds 20]

RUN is a copy of a run of text logs, as `gen_run --style text` or another generator writes it (lines are appended to it);
`--json` is one of `--style json`. Measures widetui, and each of lnav, hl, ripgrep, jq, DuckDB (the Python module) and
`tail -F` that is installed:

    load          read all records, print their number
    question      the records whose text contains the word
    output        all records, written to a pipe
    first screen  explorer in a terminal of 120x40, until a record is drawn
    rest          explorer, from its start until it does nothing more
    reopen        the same, after it was left with its key
    follow        share of a core while one line a second is appended to a log

Programs take turns; a row shows the medians and the ratio of each program to widetui. Programs that do less are marked:
ripgrep, hl, jq and tail neither join records nor keep them."""

import argparse
import fcntl
import importlib.util
import os
import pty
import re
import select
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import termios
import time

COLUMNS, ROWS = 120, 40
# Text of a record on the screen of any of the programs: a time of day.
RECORD = re.compile(rb"\d\d:\d\d:\d\d")


def files_of(run):
    """Log files below a folder."""
    found = (os.path.join(folder, name) for folder, _, names in os.walk(run) for name in names)
    return sorted(f for f in found if not f.endswith("answer.json"))


def measured(argv):
    """Wall seconds, CPU seconds and peak memory (bytes) of a program whose output is read and dropped."""
    start = time.perf_counter()
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    while os.read(process.stdout.fileno(), 1 << 20):
        pass
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    if process.returncode not in (0, 1):
        raise RuntimeError(f"exit status {process.returncode}")
    return {"wall": time.perf_counter() - start, "cpu": usage.ru_utime + usage.ru_stime, "memory": usage.ru_maxrss * 1024}


class Terminal:
    """Program in a pseudo-terminal."""

    def __init__(self, argv):
        self.start = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm-256color", COLORTERM="")
            os.execvp(argv[0], argv)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))

    def read(self, seconds):
        """Output within some seconds; empty at the end of the program."""
        end, out = time.perf_counter() + seconds, b""
        while (left := end - time.perf_counter()) > 0:
            if select.select([self.fd], [], [], left)[0]:
                try:
                    out += os.read(self.fd, 1 << 16)
                except OSError:
                    break
        return out

    def until_record(self, patience=60):
        """Seconds until the text of a record is drawn."""
        out = b""
        while time.perf_counter() - self.start < patience:
            if select.select([self.fd], [], [], 1)[0]:
                out += os.read(self.fd, 1 << 16)
                if RECORD.search(out):
                    return time.perf_counter() - self.start
        raise RuntimeError("no record is drawn")

    def processes(self):
        """The program and its children."""
        children = subprocess.run(["pgrep", "-P", str(self.pid)], capture_output=True, text=True).stdout.split()
        return [self.pid, *map(int, children)]

    def cpu(self):
        """CPU seconds so far."""
        total = 0
        for pid in self.processes():
            with open(f"/proc/{pid}/stat") as stat:
                fields = stat.read().rsplit(") ", 1)[1].split()
            total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return total

    def memory(self, what="VmRSS"):
        """Resident memory, or the peak of it (VmHWM), bytes."""
        with open(f"/proc/{self.pid}/status") as status:
            return int(re.search(rf"{what}:\s+(\d+)", status.read())[1]) * 1024

    def settle(self, patience=300):
        """Waits until the program has used hardly any CPU for two seconds."""
        quiet = 0
        for _ in range(patience):
            before = self.cpu()
            self.read(1)
            quiet = quiet + 1 if self.cpu() - before < 0.02 else 0
            if quiet == 2:
                return
        raise RuntimeError("does not come to rest")

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def first_screen(argv):
    terminal = Terminal(argv)
    try:
        return {"wall": terminal.until_record()}
    finally:
        terminal.end()


def at_rest(argv):
    terminal = Terminal(argv)
    try:
        terminal.settle()
        return {"cpu": terminal.cpu(), "memory": terminal.memory(), "peak": terminal.memory("VmHWM")}
    finally:
        terminal.end()


def reopened(argv):
    terminal = Terminal(argv)
    try:
        terminal.settle()
        os.write(terminal.fd, b"q")
        terminal.read(2)
    finally:
        terminal.end()
    return at_rest(argv)


def following(argv, log, seconds):
    with open(log, "rb") as text:
        text.seek(-min(1 << 16, os.path.getsize(log)), os.SEEK_END)
        line = text.read().rstrip(b"\n").rsplit(b"\n", 1)[-1] + b"\n"
    terminal = Terminal(argv)
    try:
        terminal.settle()
        before = terminal.cpu()
        for _ in range(seconds):
            with open(log, "ab") as out:
                out.write(line)
            terminal.read(1)
        return {"core": (terminal.cpu() - before) / seconds}
    finally:
        terminal.end()


def shown(name, value):
    match name:
        case "memory" | "peak":
            return f"{value / 1e6:.0f} MB"
        case "core":
            return f"{value:.1%}"
        case _:
            return f"{value:.2f} s"


def row(what, repeats, programs, measure):
    """Measures the programs in turns and prints a row for each; the first one is widetui."""
    results = {name: [] for name in programs}
    for _ in range(repeats):
        for name, argv in programs.items():
            if results[name] is not None:
                try:
                    results[name].append(measure(argv))
                except (RuntimeError, OSError) as problem:
                    print(f"{what}: {name}: {problem}", file=sys.stderr)
                    results[name] = None
    base = None
    for name, runs in results.items():
        if not runs:
            continue
        medians = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
        base = base or medians
        cells = (f"{key} {shown(key, value)} ({value / max(base[key], 1e-9):.2f})" for key, value in medians.items())
        print(f"{what:13} {name:10} " + "  ".join(f"{cell:22}" for cell in cells).rstrip(), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", metavar="RUN", nargs="+")
    parser.add_argument("--json", metavar="RUN", help="run of JSON lines")
    parser.add_argument("--widetui", metavar="PROGRAM", default="widetui")
    parser.add_argument("--word", default="heartbeat")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=20, help="length of following")
    parser.add_argument("--only", help="rows whose name contains this")
    options = parser.parse_args()
    wanted, word, seconds = options.only or "", options.word, options.seconds

    def have(**programs):
        """Programs that are installed."""
        return {name: argv for name, argv in programs.items() if shutil.which(argv[0])}

    def compare(what, programs, measure=measured, repeats=options.repeats):
        if wanted in what:
            row(what, repeats, programs, measure)

    # Not imported here: the memory of this process is a floor of what is measured in its children.
    duck = importlib.util.find_spec("duckdb")

    def sql(query):
        return [sys.executable, "-c", "import duckdb, sys; print(duckdb.sql(sys.argv[1]).fetchall())", query]

    for tool in ("lnav", "hl", "rg", "jq"):
        if shutil.which(tool):
            version = subprocess.run([tool, "--version"], capture_output=True, text=True)
            print((version.stdout or version.stderr).splitlines()[0])
    us = options.widetui
    for run in options.runs:
        logs = files_of(run)
        lnav = ["lnav", "-n", "-r", run]
        log = max(logs, key=os.path.getsize)
        print(f"{run}: {sum(map(os.path.getsize, logs)) / 1e6:.0f} MB of text in {len(logs)} files")
        compare("load", have(widetui=[us, "sources", run], lnav=[*lnav, "-c", ";select count(*) from all_logs"]))
        compare("question", have(
            widetui=[us, "events", run, "--where", f"message ~ {word}"],
            lnav=[*lnav, "-c", f":filter-in {word}"],
            ripgrep=["rg", "-uuu", word, run],
        ))
        compare("output", have(widetui=[us, "events", run], lnav=lnav, ripgrep=["rg", "-uuu", "", run]))
        explorers = have(widetui=[us, run], lnav=["lnav", "-r", run])
        compare("first screen", explorers, first_screen)
        compare("rest", explorers, at_rest)
        compare("reopen", explorers, reopened)
        compare("follow", have(
            widetui=[us, "--follow", run],
            lnav=["lnav", "-r", run],
            tail=["tail", "-F", *logs],
        ), lambda argv, log=log: following(argv, log, seconds), 1)
    if not options.json:
        return
    run, logs = options.json, files_of(options.json)
    print(f"{run}: {sum(map(os.path.getsize, logs)) / 1e6:.0f} MB of JSON lines in {len(logs)} files")
    rows = f"read_json({logs!r}, format='newline_delimited', union_by_name=true, ignore_errors=true)"
    load = have(widetui=[us, "sources", run], jq=["jq", "-n", "reduce inputs as $i (0; . + 1)", *logs])
    question = have(
        widetui=[us, "events", run, "--where", f"message ~ {word}"],
        ripgrep=["rg", "-uuu", word, run],
        jq=["jq", "-c", f'select(tostring | contains("{word}"))', *logs],
        hl=["hl", "-P", "-q", f'message ~= "{word}"', *logs],
    )
    if duck:
        load["DuckDB"] = sql(f"select count(*) from (select * from {rows})")
        question["DuckDB"] = sql(f"select * from {rows} t where t::text like '%{word}%'")
    compare("JSON load", load)
    compare("JSON question", question)
    compare("JSON output", have(
        widetui=[us, "events", run, "--format", "jsonl"],
        hl=["hl", "-P", *logs],
        jq=["jq", "-c", ".", *logs],
    ))
    compare("JSON screen", have(widetui=[us, run], hl=["hl", *logs]), first_screen)


if __name__ == "__main__":
    main()
