#!/usr/bin/env python3
"""How well `widetui diagnose` finds what people found.

    python3 benches/diagnose.py CORPORA [--binary target/release/widetui] [--verbose]

CORPORA/public/issues holds excerpts of logs as people posted them when they asked for help, and an INDEX.md whose table says
what was wrong, on what basis that is known, and which lines a tool should have surfaced. An excerpt counts as found when all
of these lines (as far as the excerpt holds them) are in the evidence of the first three findings. The other runs below
CORPORA, those that ended well, should get no finding of severity error.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

FIRST = 3


def diagnose(binary, path):
    done = subprocess.run([binary, "diagnose", "--format", "jsonl", "--", str(path)], capture_output=True, timeout=600)
    if done.returncode != 0:
        return None, done.stderr.decode(errors="replace").strip()
    rows = [json.loads(line) for line in done.stdout.decode().splitlines()]
    # The last row sums up.
    return [row for row in rows if "severity" in row], ""


def squeezed(text):
    return re.sub(r"\s+", " ", text)


def wanted(cell, excerpt):
    """The lines that a cell of the table quotes, as far as they are in the excerpt."""
    # A quotation may hold others in single quotes, never in double ones; dots in it stand for what was left out.
    parts = [p for quoted in re.findall(r'"([^"]+)"', cell) for p in quoted.split(" ... ")]
    names = re.findall(r"\b\w*_\w+\b", cell)
    there = [p for p in parts if squeezed(p) in squeezed(excerpt)]
    return there or [n for n in names if n in excerpt]


def issues(binary, folder, verbose):
    rows = []
    for line in (folder / "INDEX.md").read_text().splitlines():
        cells = [c.strip() for c in line.strip().strip("|").split(" | ")]
        if len(cells) == 5 and cells[0].endswith(".log"):
            rows.append(cells)
    count = {"seen": [0, 0], "others": [0, 0]}
    for name, _, _, basis, cell in rows:
        path = folder / name
        lines = wanted(cell, path.read_text(errors="replace"))
        findings, problem = diagnose(binary, path)
        if findings is None:
            print(f"{name}: {problem}")
            continue
        shown = squeezed("\n".join(e["message"] for f in findings[:FIRST] for e in f["evidence"]))
        missed = [p for p in lines if squeezed(p) not in shown]
        kind = "seen" if basis == "seen" else "others"
        # Where the excerpt itself does not hold the telling line, nothing can be asked for.
        if not lines and kind == "others":
            continue
        good = bool(lines) and not missed
        count[kind][0] += good
        count[kind][1] += 1
        if verbose or not good:
            titles = [f"{f['severity']}: {f['title']}"[:110] for f in findings[:FIRST]]
            print(f"{'found ' if good else 'missed'} {name} ({basis})  {missed}")
            for title in titles:
                print(f"           {title}")
    return count



def healthy(binary, corpora, verbose):
    runs = sorted(p for p in corpora.glob("parsl/*/runinfo") if p.is_dir())
    runs += sorted(p for p in (corpora / "public").glob("*/") if p.name != "issues")
    looked, with_error = 0, []
    for run in runs:
        done = subprocess.run([binary, "entities", "--of", "parsl.task", "--format", "jsonl", str(run)], capture_output=True)
        tasks = [json.loads(line) for line in done.stdout.decode().splitlines()]
        # Healthy: all tasks ended, none failed.
        bad = [t for t in tasks if not t["final"] or t["state"] in ("failed", "dep_fail")]
        if not tasks or bad:
            continue
        looked += 1
        findings, problem = diagnose(binary, run)
        if findings is None:
            print(f"{run}: {problem}")
            continue
        errors = [f for f in findings if f["severity"] == "error"]
        if errors:
            with_error.append(run)
            print(f"error in {run.relative_to(corpora)}: {[f['title'][:100] for f in errors]}")
        elif verbose:
            print(f"healthy {run.relative_to(corpora)}: {[f['title'][:60] for f in findings]}")
    return looked, with_error


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--binary", default="target/release/widetui")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    count = issues(args.binary, args.corpora / "public" / "issues", args.verbose)
    looked, with_error = healthy(args.binary, args.corpora, args.verbose)
    print(f"excerpts whose diagnosis is known: {count['seen'][0]} of {count['seen'][1]} found in the first {FIRST} findings")
    print(f"other excerpts: {count['others'][0]} of {count['others'][1]}")
    print(f"runs in which all tasks ended well: {looked}, {len(with_error)} of them with a finding of severity error")
    return 0


if __name__ == "__main__":
    sys.exit(main())
