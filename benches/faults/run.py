#!/usr/bin/env python3
"""Faults injected into real programs, and whether `widetui diagnose` names them.

    python3 benches/faults/run.py [--only WORD]... [--holdout] [--judge] [--jobs 1] [--binary PROGRAM] [--out FOLDER]

Each file below `scenarios/` is a program that is run with one fault, and the truth about it (README.md). Virtual environments are made
on the first run. What the programs write goes to OUT/NAME/run; `--judge` asks the program again about the outputs of the last run.
"""

import argparse
import ctypes
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import venv
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

ENVIRONMENTS = {
    "parsl-2026.10.26": ["parsl[monitoring]==2026.10.26"],
    "parsl-2024.6.3": ["parsl[monitoring]==2024.6.3", "setuptools<81"],
    "academy-1.0.0": ["academy-py==1.0.0"],
    "dask-2026.8.0": ["dask==2026.8.0", "distributed==2026.8.0", "numpy"],
    "dask-2022.12.1": ["dask==2022.12.1", "distributed==2022.12.1", "numpy", "setuptools<81"],
    "snakemake-9.27.1": ["snakemake==9.27.1"],
    "celery-5.7.0": ["celery==5.7.0", "sqlalchemy"],
    "ray-2.60.0": ["ray==2.60.0"],
}
DEFAULT_ON = {
    "parsl": ["parsl-2026.10.26"], "academy": ["academy-1.0.0"], "dask": ["dask-2026.8.0"], "snakemake": ["snakemake-9.27.1"],
    "celery": ["celery-5.7.0"], "ray": ["ray-2.60.0"],
}
FIELDS = {"fault", "on", "must", "never", "severity", "healthy", "seconds", "stop", "needs", "shows"}
PR_SET_CHILD_SUBREAPER = 36
ATTEMPTS = 3
LONGEST = 120


@dataclass
class Scenario:
    """A program, the environment in which it runs, one fault, and the truth about it."""

    name: str
    script: Path
    environment: str
    fault: str
    must: list = field(default_factory=list)
    never: list = field(default_factory=list)
    severity: list = field(default_factory=lambda: ["error"])
    healthy: bool = False
    seconds: float = 20
    stop: str | None = None
    needs: list = field(default_factory=list)
    shows: str | None = None

    @property
    def untouched(self):
        """Whether nobody may tune on the scenario; all versions of a program share a half."""
        base = f"{self.script.parent.name}/{self.script.stem}"
        return hashlib.sha256(base.encode()).digest()[0] % 2 == 1


def scenarios():
    found = []
    for script in sorted((HERE / "scenarios").glob("*/*.py")):
        header = script.read_text().split('"""')[1]
        try:
            values = tomllib.loads(header)
        except tomllib.TOMLDecodeError as error:
            sys.exit(f"{script}: {error}")
        if unknown := set(values) - FIELDS:
            sys.exit(f"{script}: unknown {', '.join(sorted(unknown))}; known: {', '.join(sorted(FIELDS))}")
        if not values.get("healthy") and not values.get("must"):
            sys.exit(f"{script}: neither `must` nor `healthy`")
        on = values.pop("on", DEFAULT_ON.get(script.parent.name, []))
        for environment in on:
            if environment not in ENVIRONMENTS:
                sys.exit(f"{script}: no environment {environment}")
            name = f"{script.parent.name}-{script.stem}"
            if environment != on[0]:
                name += f"-{environment.partition('-')[2]}"
            found.append(Scenario(name, script, environment, **values))
    return found


# Environments.


def made(environment, folder):
    """The environment's folder, made if there is none."""
    home = folder / environment
    stamp = home / "requirements.txt"
    wanted = "\n".join(ENVIRONMENTS[environment])
    if stamp.exists() and stamp.read_text() == wanted:
        return home
    print(f"making {home}", flush=True)
    venv.create(home, with_pip=True, clear=True)
    subprocess.run([home / "bin/pip", "install", "--quiet", *ENVIRONMENTS[environment]], check=True)
    stamp.write_text(wanted)
    return home


# Runs.


def started(token, home):
    """Living processes that inherited the token of a run, or work in its folder: a process may write over its environment with a title."""
    mark, found = f"FAULTS_RUN={token}".encode(), []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            inherited = mark in (entry / "environ").read_bytes().split(b"\0")
            if inherited or Path(os.readlink(entry / "cwd")).is_relative_to(home):
                found.append(int(entry.name))
        except OSError:
            pass
    return found


def kill_all(token, home):
    for _ in range(20):
        pids = started(token, home)
        if not pids:
            return
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.1)


def waited(program, begun, seconds):
    """Waits for a program that is to be stopped some seconds after it marks that its fault is there."""
    until = time.time() + LONGEST
    while time.time() < until:
        if (status := program.poll()) is not None:
            return status
        if begun.exists() and time.time() > begun.stat().st_mtime + seconds:
            break
        time.sleep(0.1)
    raise subprocess.TimeoutExpired(program.args, seconds)


def perform(scenario, out, environments):
    """Runs a scenario into `out/NAME`; how it ended."""
    # The name of a fault must not stand in the paths that programs log.
    home = out / "at" / hashlib.sha256(scenario.name.encode()).hexdigest()[:6]
    shutil.rmtree(home, ignore_errors=True)
    shutil.rmtree(out / scenario.name, ignore_errors=True)
    run = home / "run"
    run.mkdir(parents=True)
    shutil.copy(scenario.script, home / "workflow.py")
    token = f"{os.getpid()}-{home.name}"
    python = made(scenario.environment, environments) / "bin"
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("PARSL", "DASK", "ACADEMY", "PYTHON"))}
    variables |= {
        "FAULTS_RUN": token,
        "FAULTS_ENVIRONMENTS": str(environments),
        "PATH": f"{python}:{os.environ['PATH']}",
        "PYTHONPATH": str(HERE / "lib"),
        "PYTHONUNBUFFERED": "1",
        "HOME": str(home / "home"),
        "ACADEMY_HOME": str(run / "academy"),
    }
    (home / "home").mkdir()
    begun = time.time()
    with open(run / "workflow.out", "wb") as stdout, open(run / "workflow.err", "wb") as stderr:
        program = subprocess.Popen(
            [python / "python", home / "workflow.py"],
            cwd=run, env=variables, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, start_new_session=True,
        )
        try:
            ended = program.wait(LONGEST) if not scenario.stop else waited(program, home / "begun", scenario.seconds)
        except subprocess.TimeoutExpired:
            ended = "stopped" if scenario.stop and (home / "begun").exists() else "timeout"
            if scenario.stop == "INT":
                # Ctrl-C reaches the whole group of the terminal.
                os.killpg(program.pid, signal.SIGINT)
                try:
                    program.wait(45)
                except subprocess.TimeoutExpired:
                    pass
            elif scenario.stop:
                os.kill(program.pid, getattr(signal, f"SIG{scenario.stop}"))
                time.sleep(1)
        finally:
            kill_all(token, home)
            if program.poll() is None:
                program.wait()
    # Orphans of the program became this process's children.
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
    ended = {"ended": ended, "seconds": round(time.time() - begun, 1)}
    printed = "".join((run / name).read_text(errors="replace") for name in ("workflow.out", "workflow.err"))
    # On a busy machine something else may go wrong first; such a run says nothing about the fault.
    ended["meant"] = ended["ended"] != "timeout" and (not scenario.shows or bool(re.search(scenario.shows, printed)))
    (home / "ended.json").write_text(json.dumps(ended) + "\n")
    home.rename(out / scenario.name)
    return ended


# Judgement.


def said(finding, keys):
    return " ".join(v if isinstance(v, str) else json.dumps(v) for k in keys if (v := finding.get(k)))


def names_the_fault(scenario, finding):
    whole = said(finding, ("title", "subject", "cause", "text", "next"))
    head = said(finding, ("title", "subject", "cause"))
    match = lambda pattern, text: re.search(pattern, text, re.IGNORECASE)
    return (
        finding["severity"] in scenario.severity
        and all(match(p, whole) for p in scenario.must)
        and not any(match(p, head) for p in scenario.never)
    )


def judged(scenario, out, binary):
    """The verdict on the output of a scenario, from the findings about it."""
    run = out / scenario.name / "run"
    if not run.exists():
        return None
    done = subprocess.run([binary, "diagnose", "--format", "jsonl", "--", run], capture_output=True, timeout=300)
    rows = [json.loads(line) for line in done.stdout.decode().splitlines()]
    findings = [row for row in rows if "severity" in row]
    ended = json.loads((out / scenario.name / "ended.json").read_text())
    verdict = {
        "name": scenario.name,
        "fault": scenario.fault,
        "ended": ended["ended"],
        "meant": ended["meant"],
        "failed": done.stderr.decode()[-300:] if done.returncode not in (0, 1) else None,
        "findings": [f"{f['severity']}: {f['title']}" for f in findings[:3]],
    }
    if scenario.healthy:
        verdict["errors"] = [f["title"] for f in findings if f["severity"] == "error"]
        verdict["right"] = not verdict["errors"]
    else:
        ranks = [n for n, f in enumerate(findings, 1) if names_the_fault(scenario, f)]
        verdict["rank"] = ranks[0] if ranks else None
        verdict["right"] = verdict["rank"] == 1
    (out / scenario.name / "verdict.json").write_text(json.dumps(verdict, indent=1) + "\n")
    (out / scenario.name / "findings.jsonl").write_bytes(done.stdout)
    return verdict


def score(half, pairs):
    """A line that sums up verdicts."""
    faults = [v for s, v in pairs if not s.healthy]
    healthy = [v for s, v in pairs if s.healthy]
    first = sum(v["rank"] == 1 for v in faults)
    three = sum(v["rank"] is not None and v["rank"] <= 3 for v in faults)
    well = sum(v["right"] for v in healthy)
    share = f" ({100 * first / len(faults):.0f} %)" if faults else ""
    return (
        f"{half}: cause in the first finding {first} of {len(faults)}{share}, in the first three {three}; "
        f"healthy runs without an error {well} of {len(healthy)}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", default=[], metavar="WORD", help="scenarios whose name contains WORD")
    parser.add_argument("--holdout", action="store_true", help="run the untouched half and print its score alone")
    parser.add_argument("--all", action="store_true", help="both halves; of the untouched half the score alone")
    parser.add_argument("--judge", action="store_true", help="ask about the outputs of the last run")
    parser.add_argument("--list", action="store_true", help="print the scenarios of the tuned half")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--binary", default=str(ROOT / "target/release/widetui"))
    parser.add_argument("--out", type=Path, default=Path(tempfile.gettempdir()) / "faults")
    parser.add_argument("--environments", type=Path, help="folder of the virtual environments (default: OUT/env)")
    args = parser.parse_args()
    args.out = args.out.resolve()
    environments = (args.environments or args.out / "env").resolve()

    chosen = [s for s in scenarios() if all(word in s.name for word in args.only)]
    if args.holdout:
        chosen = [s for s in chosen if s.untouched]
    elif not args.all:
        chosen = [s for s in chosen if not s.untouched]
    if args.list:
        for s in chosen:
            if not s.untouched:
                print(f"{s.name:44} {s.environment:18} {s.fault}")
        return 0
    if not shutil.which(args.binary):
        sys.exit(f"no program {args.binary}: build it with `cargo build --release`, or name another with --binary")

    # A shell that runs this in the background ignores Ctrl-C, which the programs would inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Orphans of the programs become children of this process, and do not linger.
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    folder = lambda s: args.out / "untouched" if s.untouched else args.out

    if not args.judge:
        for environment in sorted({e for s in chosen for e in [s.environment, *s.needs]}):
            made(environment, environments)

    def one(scenario):
        for _ in range(0 if args.judge else ATTEMPTS):
            if perform(scenario, folder(scenario), environments)["meant"]:
                break
        return judged(scenario, folder(scenario), args.binary)

    pairs, left_out = [], {False: 0, True: 0}
    with ThreadPoolExecutor(args.jobs) as pool:
        for scenario, verdict in zip(chosen, pool.map(one, chosen)):
            if verdict is None:
                continue
            if not verdict["meant"]:
                left_out[scenario.untouched] += 1
                if scenario.untouched:
                    continue
                print(f"left out  {scenario.name}: {ATTEMPTS} runs did not go as meant (ended: {verdict['ended']})", flush=True)
                continue
            pairs.append((scenario, verdict))
            if scenario.untouched:
                continue
            word = "right" if verdict["right"] else "wrong"
            rank = "" if scenario.healthy else f" rank {verdict['rank'] or '-'}"
            print(f"{word}  {scenario.name}{rank}", flush=True)
            if verdict["failed"]:
                print(f"       {verdict['failed']}")
            if not verdict["right"]:
                print(f"       fault: {scenario.fault}")
                for title in verdict.get("errors") or verdict["findings"]:
                    print(f"       {title[:120]}")
    for half, untouched in (("tuned half", False), ("untouched half", True)):
        if some := [(s, v) for s, v in pairs if s.untouched == untouched]:
            print(score(half, some) + (f"; left out {left_out[untouched]}" if left_out[untouched] else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
