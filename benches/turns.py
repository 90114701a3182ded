#!/usr/bin/env python3
"""Runs the commands of two builds of the program in turns, and prints the ratio new/old of CPU and wall seconds.

    python3 benches/turns.py OLD NEW RUN [RUN ...] [--repeats 7] [--only latency]

Both programs run every command on every run, alternating, so that what else happens on the machine hits both alike. A row
shows the medians in milliseconds and the median of the ratios, pair by pair; 1.00 is as fast as OLD.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import time

COMMANDS = {
    "sources": ["sources", "--format", "jsonl"],
    "keys": ["keys"],
    "events": ["events", "--where", "level >= error"],
    "entities": ["entities"],
    "latency": ["latency", "parsl.task"],
    "hung": ["hung"],
    "diagnose": ["diagnose"],
    "runs": ["runs"],
    "write": ["events", "--format", "jsonl"],
}


def measure(program, arguments, run):
    """CPU and wall seconds of one execution."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([program, *arguments, run], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.returncode, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, wall


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("runs", nargs="+", metavar="RUN")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--only", help="commands whose name contains this")
    args = parser.parse_args()
    print(f"{'command':10} {'run':28} {'old cpu':>9} {'new cpu':>9} {'ratio':>6} {'old wall':>9} {'new wall':>9} {'ratio':>6}")
    for run in args.runs:
        for name, arguments in COMMANDS.items():
            if args.only and args.only not in name:
                continue
            codes = [measure(p, arguments, run)[0] for p in (args.old, args.new)]
            if codes[0] != codes[1]:
                print(f"{name}: exit status {codes[0]} and {codes[1]}", file=sys.stderr)
            pairs = [[measure(p, arguments, run)[1:] for p in (args.old, args.new)] for _ in range(args.repeats)]
            row = f"{name:10} {os.path.basename(run.rstrip('/')):28}"
            for i in (0, 1):
                old, new = (statistics.median(pair[side][i] for pair in pairs) * 1000 for side in (0, 1))
                ratio = statistics.median(pair[1][i] / max(pair[0][i], 1e-4) for pair in pairs)
                row += f" {old:9.1f} {new:9.1f} {ratio:6.2f}"
            print(row, flush=True)


if __name__ == "__main__":
    main()
