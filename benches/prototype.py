#!/usr/bin/env python3
"""Compares `widetui latency` with `findcommon` of Parsl's observability prototype, which answers the same question in Python.

prototype.py PROTOTYPE RUNDIR [--times N] [--repeats N] [--python PYTHON] [--widetui PROGRAM]

PROTOTYPE is a folder with parsl/observability (see benches/README.md), RUNDIR a run of the prototype whose tasks all look
alike. The run is repeated N times under other task numbers, since of few tasks either time is that of starting. They take turns; widetui
is run five times in a row, of which the first finds the processor's caches full of other things. PYTHON runs
the prototype; it needs what the package imports, which is nothing when parsl/__init__.py is empty. What it compiles is kept from
turn to turn, as Python does by itself. Needs only Python's standard library."""

import argparse
import json
import os
import re
import shutil
import statistics
import sys
import tempfile
import time

FINDCOMMON = """
import functools, runpy, sys
sys.path.insert(0, sys.argv[1])
import parsl.observability.getlogs as g
g.getlogs = functools.partial(g.getlogs, sys.argv[2])
runpy.run_module("parsl.observability.findcommon", run_name="__main__")
"""
IDS = ("parsl_task_id", "parsl_executor_id", "htex_task_id")
TEXTS = ("formatted", "message")
SHORT = 5
NAMED = re.compile(r"((?:[Tt]ask|executor id) )(\d+)")


def shifted(line, by):
    """The record of another task: its numbers, and what its message says of them, are greater."""
    record = json.loads(line)
    for key in IDS:
        if key in record:
            record[key] = str(int(record[key]) + by)
    for key in TEXTS:
        if key in record:
            record[key] = NAMED.sub(lambda m: m[1] + str(int(m[2]) + by), record[key])
    return json.dumps(record) + "\n"


def repeat(run, to, times):
    """Writes the run with its tasks repeated; gives records and bytes."""
    records = size = 0
    for folder, _, files in os.walk(run):
        there = os.path.join(to, os.path.relpath(folder, run))
        os.makedirs(there, exist_ok=True)
        for name in files:
            source, target = os.path.join(folder, name), os.path.join(there, name)
            if not name.endswith(".jsonlog"):
                shutil.copy(source, target)
                continue
            with open(source) as lines, open(target, "w") as out:
                lines = lines.readlines()
                for at in range(times):
                    # What names no task is there once.
                    out.writelines(shifted(line, at * 1000) for line in lines
                                   if at == 0 or any(key in line for key in IDS))
            size += os.path.getsize(target)
            with open(target, "rb") as written:
                records += sum(1 for _ in written)
    return records, size


def taken_by(argv):
    """User and system seconds of a program, seconds on the clock, and what it wrote."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        files = [(os.POSIX_SPAWN_DUP2, out.fileno(), 1), (os.POSIX_SPAWN_DUP2, errors.fileno(), 2)]
        program = shutil.which(argv[0]) or sys.exit(f"{argv[0]}: there is no such program")
        # Nothing else is done meanwhile: to start a program by `subprocess`, and to read from it, takes milliseconds of its own.
        started = time.perf_counter()
        _, status, used = os.wait4(os.posix_spawn(program, argv, os.environ, file_actions=files), 0)
        clock = time.perf_counter() - started
        out.seek(0)
        errors.seek(0)
        if status != 0:
            sys.exit(f"{argv[0]}: {errors.read().decode(errors='replace')[-300:]}")
        return (used.ru_utime + used.ru_stime, clock), out.read().decode()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prototype")
    parser.add_argument("run")
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--python", default=sys.executable)
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser.add_argument("--widetui", default=os.path.join(root, "target", "release", "widetui"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        run = os.path.join(directory, "runinfo", "000")
        records, size = repeat(options.run, run, options.times)
        commands = {
            "prototype": [options.python, "-c", FINDCOMMON, options.prototype, run],
            "widetui": [options.widetui, "latency", "parsl.task", os.path.dirname(run), "--format", "jsonl"],
        }
        # Told not to keep what it compiles (as many containers tell it), or by packages that were installed without, it would
        # compile all that it imports at every start.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = os.path.join(directory, "compiled")
        taken_by(commands["prototype"])
        taken = {name: [] for name in commands}
        for _ in range(options.repeats):
            for name, argv in commands.items():
                # Short times scatter more.
                for _ in range(SHORT if name == "widetui" else 1):
                    seconds, output = taken_by(argv)
                    taken[name].append(seconds)
                if name == "widetui":
                    tasks = max(json.loads(line)["instances"] for line in output.splitlines())
        # Of each program the median of either time: of processors and of the clock.
        median = {name: [statistics.median(kind) for kind in zip(*of)] for name, of in taken.items()}
        print(f"{records} records, {size / 1e6:.1f} MB, {tasks} tasks")
        for name, (processors, clock) in median.items():
            print(f"{name:10} {processors:8.3f} core-seconds {clock:8.3f} s")
        ratios = [theirs / ours for theirs, ours in zip(median["prototype"], median["widetui"])]
        print(f"ratio      {ratios[0]:8.1f}              {ratios[1]:8.1f}")


if __name__ == "__main__":
    main()
