#!/usr/bin/env python3
"""Runs the programs of labelled scenarios, and writes their logs and the truth about them.

    python3 benches/faults/make.py [--only WORD]... [--scenarios FOLDER]... [--out FOLDER] [--environments FOLDER] [--jobs 1]
    python3 benches/faults/make.py --again [--only WORD]...
    python3 benches/faults/make.py --check [--scenarios FOLDER]...
    python3 benches/faults/make.py --collect FOLDER [--out FOLDER]

Each program below `scenarios/` has one fault, or none (README.md). Its logs and the truth go to OUT/SYSTEM-NAME/. Virtual environments
are made on the first run. `--again` writes the truth again from the logs of the last run, after a change of a header; `--check` reads
the headers alone. `--collect` copies the programs of FOLDER/scenarios, their helpers in
FOLDER/lib, environments in FOLDER/environments.toml and the outputs in FOLDER/out (or OUT) into this folder.
"""

import argparse
import ast
import ctypes
import fcntl
import getpass
import gzip
import hashlib
import io
import json
import os
import platform
import re
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
import tomllib
import venv
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
LABELLED = HERE / "labelled"
UNTOUCHED = LABELLED / "untouched.tar.gz"
KINDS = tomllib.loads((HERE / "kinds.toml").read_text())
OUTCOMES = {"failed", "hangs", "slow", "healthy"}
HEADER = re.compile(r'\A(?:#[^\n]*\n|\s)*(r?)("""|\'\'\')(.*?)\2', re.DOTALL)
LEFT_OUT = {".db", ".pkl", ".pickle", ".pyc", ".sock", ".key", ".key_secret"}
PR_SET_CHILD_SUBREAPER = 36
ATTEMPTS = 3
LARGEST = 100_000


class Wrong(Exception):
    """A mistake in a scenario, for its author."""


@dataclass
class Scenario:
    """A program, the environment in which it runs, one fault, and the truth about it."""

    script: Path
    name: str
    environment: str
    fault: str
    kind: str
    outcome: str
    cause: list = field(default_factory=list)
    subject: list = field(default_factory=list)
    innocent: list = field(default_factory=list)
    needs: list = field(default_factory=list)
    shows: str | None = None
    stop: str | None = None
    seconds: float = 20
    limit: float = 120
    program: str | None = None
    made: str = "real"
    on: list = field(default_factory=list)

    @property
    def system(self):
        return self.script.parent.name

    @property
    def split(self):
        """Whether rules may be developed with the scenario in view; all versions of a program share a split."""
        return "developed" if self.made == "synthetic" else split(f"{self.system}/{self.script.stem}")


def split(base):
    """The split of a program by its SYSTEM/NAME: 40 % are untouched."""
    byte = hashlib.sha256(base.encode()).digest()[0]
    return "untouched" if byte % 2 and byte < 204 else "developed"


def header(script):
    """The fields of a program: the first string of the program, which is TOML."""
    main = script / "main.py" if script.is_dir() else script
    source = main.read_text()
    if not (found := HEADER.match(source)):
        raise Wrong("no string of TOML at the top")
    raw, _, text = found.groups()
    if "\\" in text and not raw:
        raise Wrong('a backslash in the first string: begin it with r"""')
    try:
        ast.parse(source)
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, SyntaxError) as error:
        raise Wrong(str(error)) from None


def validated(values):
    """Raises what is wrong with the fields of a program."""
    known = set(Scenario.__dataclass_fields__) - {"script", "name", "environment", "made"}
    if unknown := set(values) - known:
        raise Wrong(f"unknown {', '.join(sorted(unknown))}; known: {', '.join(sorted(known))}")
    if missing := {"fault", "kind", "outcome"} - set(values):
        raise Wrong(f"without {', '.join(sorted(missing))}")
    if values["kind"] not in KINDS:
        raise Wrong(f"unknown kind {values['kind']}; known: {', '.join(KINDS)}")
    if values["outcome"] not in OUTCOMES:
        raise Wrong(f"unknown outcome {values['outcome']}; known: {', '.join(sorted(OUTCOMES))}")
    healthy = KINDS[values["kind"]]["group"] == "healthy"
    if healthy != (values["outcome"] == "healthy"):
        raise Wrong("a healthy kind has the outcome healthy, and no other has")
    if healthy and (values.get("cause") or values.get("subject")):
        raise Wrong("a healthy run has neither `cause` nor `subject`")
    if not healthy and not values.get("cause"):
        raise Wrong("without `cause`")
    for place in [*values.get("cause", []), *(s for key in ("subject", "innocent") for s in values.get(key, []) if not isinstance(s, str))]:
        if missing := {"file", "text"} - set(place):
            raise Wrong(f"a place without {', '.join(sorted(missing))}: {place}")
        if place.get("which", "all") not in ("first", "last", "all"):
            raise Wrong(f"`which` is first, last or all: {place}")
        if unknown := set(place) - {"file", "text", "which", "class", "optional"}:
            raise Wrong(f"unknown {', '.join(sorted(unknown))} in {place}")
    for pattern in [values.get("shows", ""), *(p["text"] for p in values.get("cause", []))]:
        compiled(pattern)
    for given in [*values.get("subject", []), *values.get("innocent", [])]:
        if isinstance(given, str):
            if not given.strip():
                raise Wrong("an empty subject")
        elif "class" not in given:
            raise Wrong(f"a subject without `class`: {given}")
        elif compiled(given["text"]).groups != 1:
            raise Wrong(f"the expression of a subject has one group: {given['text']}")


def compiled(pattern):
    try:
        return re.compile(pattern)
    except re.error as error:
        raise Wrong(f"{pattern}: {error}") from None


def scenarios(folders, environments):
    """All scenarios below some folders, and what is wrong with the others."""
    defaults = {e["default_of"]: name for name, e in environments.items() if "default_of" in e}
    found, wrong = [], []
    for script in sorted(p for folder in folders for p in folder.glob("*/*")):
        if not (script.suffix == ".py" or (script / "main.py").exists()):
            continue
        try:
            values = header(script)
            validated(values)
            on = values.get("on") or [defaults.get(script.parent.name, "plain")]
            if unknown := [e for e in on if e not in environments]:
                raise Wrong(f"no environment {', '.join(unknown)}; known: {', '.join(environments)}")
            name = f"{script.parent.name}-{script.stem}"
            for environment in on:
                suffix = "" if environment == on[0] else f"-{environment.partition('-')[2] or environment}"
                found.append(Scenario(script, name + suffix, environment, **values))
        except Wrong as error:
            wrong.append(f"{script}: {error}")
    return found, wrong


# Environments.


def made(environment, wanted, folder):
    """The folder of an environment's programs, made if there is none."""
    if environment == "python":
        return Path(sys.executable).parent
    home = folder / environment
    stamp, wanted = home / "requirements.txt", "\n".join(wanted)
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / f"{environment}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text() != wanted:
            print(f"making {home}", flush=True)
            venv.create(home, with_pip=True, clear=True)
            subprocess.run([home / "bin/pip", "install", "--quiet", *wanted.splitlines()], check=True)
            stamp.write_text(wanted)
    return home / "bin"


def absent(scenario, environments):
    """What a scenario needs and this machine does not have: neither an environment, a program nor a package of Debian."""
    def there(need):
        if need in environments or shutil.which(need):
            return True
        if not shutil.which("dpkg-query"):
            return False
        asked = subprocess.run(["dpkg-query", "-W", "-f", "${Status}", need], capture_output=True, text=True)
        return asked.stdout.endswith("ok installed")

    return [need for need in scenario.needs if not there(need)]


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


def kill_all(token, home, program):
    """Ends what a run left behind."""
    orphans = set()
    for _ in range(20):
        pids = started(token, home)
        if not pids:
            break
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        orphans |= set(pids) - {program.pid}
        time.sleep(0.1)
    program.wait()
    for pid in orphans:
        # Orphans of the program became this process's children.
        try:
            os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            pass


def waited(program, begun, scenario):
    """Waits for a program that is to be stopped some seconds after it marks that its fault is there."""
    until = time.time() + scenario.limit
    while time.time() < until:
        if (status := program.poll()) is not None:
            return status
        if begun.exists() and time.time() > begun.stat().st_mtime + scenario.seconds:
            return "stopped"
        time.sleep(0.1)
    return "timeout"


def home_of(scenario, out):
    """The folder in which a program runs: the name of a fault must not stand in the paths that programs log."""
    return out / "at" / hashlib.sha256(scenario.name.encode()).hexdigest()[:6]


def perform(scenario, out, python, environments):
    """Runs a program in a folder of its own; how it ended."""
    home = home_of(scenario, out)
    shutil.rmtree(home, ignore_errors=True)
    run = home / "run"
    if scenario.script.is_dir():
        shutil.copytree(scenario.script, home, ignore=shutil.ignore_patterns("__pycache__"))
        main = home / "main.py"
        run.mkdir()
    else:
        run.mkdir(parents=True)
        main = shutil.copy(scenario.script, home / "workflow.py")
    token = f"{os.getpid()}-{home.name}"
    libraries = [HERE / "lib", scenario.script.parent.parent.parent / "lib"]
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("PARSL", "DASK", "ACADEMY", "PYTHON", "FAULTS"))}
    variables |= {
        "FAULTS_RUN": token,
        "FAULTS_ENVIRONMENTS": str(environments),
        "PATH": f"{python}:{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(map(str, libraries))),
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(home / "home"),
        "ACADEMY_HOME": str(run / "academy"),
    }
    (home / "home").mkdir()
    with open(run / "workflow.out", "wb") as stdout, open(run / "workflow.err", "wb") as stderr:
        program = subprocess.Popen(
            [python / Path("python" if environments in python.parents else sys.executable).name, main],
            cwd=run, env=variables, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, start_new_session=True,
        )
        try:
            if scenario.stop:
                ended = waited(program, home / "begun", scenario)
            else:
                try:
                    ended = program.wait(scenario.limit)
                except subprocess.TimeoutExpired:
                    ended = "timeout"
            if ended == "stopped" and scenario.stop == "INT":
                # Ctrl-C reaches the whole group of the terminal.
                os.killpg(program.pid, signal.SIGINT)
                try:
                    program.wait(45)
                except subprocess.TimeoutExpired:
                    pass
            elif ended == "stopped":
                os.kill(program.pid, getattr(signal, f"SIG{scenario.stop}"))
                time.sleep(1)
        finally:
            kill_all(token, home, program)
    (home / "ended").write_text(f"{ended}\n")
    return ended


# Truth.


def own_addresses():
    """Addresses of this machine other than loopback."""
    asked = subprocess.run(["hostname", "-I"], capture_output=True, text=True) if shutil.which("hostname") else None
    return asked.stdout.split() if asked else []


def neutral(text, out, environments, scripts):
    """The text with neutral user, host and path names."""
    patterns = [
        (re.escape(str(environments)), "/home/ana/env"),
        (re.escape(str(out / "at")) + "/[0-9a-f]{6}", "/home/ana/work"),
        (re.escape(str(HERE)), "/home/ana/faults"),
        (re.escape(str(scripts)), "/home/ana/faults"),
        (re.escape(sysconfig.get_config_var("base")), "/usr"),
        (re.escape(tempfile.gettempdir()) + r"(?=/)", "/scratch"),
        (re.escape(str(Path.home())) + r"(?=/|\b)", "/home/ana"),
        (rf"(?<='user': '){re.escape(getpass.getuser())}(?=')", "ana"),
        (rf"\b{re.escape(socket.gethostname())}\b(?!\.\w)", "node1"),
        (re.escape(platform.release()), "6.1.0-18-amd64"),
    ]
    for n, address in enumerate(own_addresses(), 1):
        around, other = ("[0-9A-Fa-f:]", f"fd12::{n}") if ":" in address else (r"\d|\.\d", f"10.0.3.{n}")
        patterns.append((rf"(?<![\w.]){re.escape(address)}(?!{around})", other))
    for pattern, name in patterns:
        text = re.sub(pattern.encode(), name.encode(), text)
    return text


def written(scenario, home, target, out, environments):
    """Writes the logs of a run, with neutral names."""
    run, size = home / "run", 0
    for path in sorted(p for p in run.rglob("*") if p.is_file() and not p.is_symlink() and p.suffix not in LEFT_OUT):
        text = path.read_bytes()
        if b"\0" in text[:1024] or (not text and path.parent == run and path.stem == "workflow"):
            continue
        change = lambda data: neutral(data, out, environments, scenario.script.parent.parent.parent)
        copy = target / "run" / change(str(path.relative_to(run)).encode()).decode()
        copy.parent.mkdir(parents=True, exist_ok=True)
        text = change(text)
        copy.write_bytes(text)
        os.utime(copy, (path.stat().st_mtime,) * 2)
        size += len(text)
    if not size:
        raise Wrong("the program logged nothing")
    return size


def places(target, place):
    """Places of a run that an expression matches: file, line and match. One with `\\n` or `[\\s\\S]` may match over lines."""
    found = []
    for path in sorted(p for p in (target / "run").glob(place["file"]) if p.is_file()):
        text, file = path.read_text(errors="replace"), f"run/{path.relative_to(target / 'run')}"
        if "\\n" in place["text"] or "[\\s\\S]" in place["text"]:
            found += [(file, text.count("\n", 0, m.start()) + 1, m) for m in re.finditer(place["text"], text, re.MULTILINE)]
        else:
            found += [(file, n, m) for n, line in enumerate(text.split("\n"), 1) if (m := re.search(place["text"], line))]
    which = place.get("which", "all")
    return found[:1] if which == "first" else found[-1:] if which == "last" else found


def subjects(target, given):
    """Names of instances, those that only the run knows read from its logs."""
    names = []
    for one in given:
        if isinstance(one, str):
            names.append(one)
            continue
        found = places(target, one)
        if not found:
            raise Wrong(f"no line matches the subject {one}")
        names += [f"{one['class']} {match.group(1)}" for _, _, match in found]
    return list(dict.fromkeys(names))


def truth(scenario, target):
    """The truth about a run, as the text of truth.toml."""
    cause = []
    for place in scenario.cause:
        found = places(target, place)
        if not found and not place.get("optional"):
            raise Wrong(f"no line matches the cause {place}")
        cause += [f"{file}:{line}" for file, line, _ in found]
    version = scenario.environment.partition("-")[2]
    program = scenario.program or (f"{scenario.system} {version}" if version else f"{scenario.system}, Python {platform.python_version()}")
    fields = {
        "fault": scenario.fault,
        "kind": scenario.kind,
        "outcome": scenario.outcome,
        "cause": list(dict.fromkeys(cause)),
        "subject": subjects(target, scenario.subject),
        "innocent": subjects(target, scenario.innocent),
        "system": scenario.system,
        "program": program,
        "split": scenario.split,
        "made": scenario.made,
    }
    return "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in fields.items())


def made_scenario(scenario, out, python, environments, again):
    """Makes the logs and the truth of a scenario, from the last run if `again` says so and there is one; a sentence about them."""
    target, home, reason = out / scenario.name, home_of(scenario, out), ""
    again = again and (home / "ended").exists()
    for _ in range(1 if again else ATTEMPTS):
        shutil.rmtree(target, ignore_errors=True)
        ended = (home / "ended").read_text().strip() if again else perform(scenario, out, python, environments)
        try:
            if ended == "timeout":
                raise Wrong(f"still running after {scenario.limit} s")
            size = written(scenario, home, target, out, environments)
            texts = [p.read_text(errors="replace") for p in (target / "run").rglob("*") if p.is_file()]
            # On a busy machine something else may go wrong first; such a run says nothing about the fault.
            if scenario.shows and not any(re.search(scenario.shows, text) for text in texts):
                raise Wrong(f"`shows` matches nothing (ended: {ended})")
            text = truth(scenario, target)
            (target / "truth.toml").write_text(text)
            lines = sum(text.count("\n") for text in texts)
            large = f"  TOO LARGE, more than {LARGEST // 1000} KB" if size > LARGEST else ""
            at = ", ".join(tomllib.loads(text)["cause"][:3])
            return f"made  {scenario.name}  {size / 1000:.0f} KB, {lines} lines, ended: {ended}, cause: {at or '-'}{large}"
        except Wrong as error:
            reason = str(error)
    shutil.rmtree(target, ignore_errors=True)
    return f"WRONG {scenario.name}  {reason}; see {home}/run"


# Collection.


def files_of(folder, name):
    """The files of a made scenario by their names in an archive."""
    changed = lambda path: 0 if path.name == "truth.toml" else int(path.stat().st_mtime)
    return {f"{name}/{p.relative_to(folder)}": (p.read_bytes(), changed(p)) for p in sorted(folder.rglob("*")) if p.is_file()}


def unpacked(archive=UNTOUCHED):
    """The files of the archive of untouched scenarios by their names."""
    if not archive.exists():
        return {}
    with tarfile.open(archive) as tar:
        return {entry.name: (tar.extractfile(entry).read(), entry.mtime) for entry in tar if entry.isfile()}


def pack(files, archive=UNTOUCHED):
    """Writes the archive of untouched scenarios; the same files make the same archive."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, (text, changed) in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime = len(text), changed
            tar.addfile(entry, io.BytesIO(text))
    archive.parent.mkdir(parents=True, exist_ok=True)
    archive.write_bytes(gzip.compress(buffer.getvalue(), 9, mtime=0))


def collect(folder, out):
    """Copies made scenarios, and their programs if they stand elsewhere, into this folder."""
    if folder.resolve() != HERE:
        for part in ("scenarios", "lib"):
            if (folder / part).exists():
                shutil.copytree(folder / part, HERE / part, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        extra = folder / "environments.toml"
        if extra.exists():
            known, own = tomllib.loads(extra.read_text()), tomllib.loads((HERE / "environments.toml").read_text())
            if set(known) - set(own):
                with open(HERE / "environments.toml", "a") as file:
                    file.write("\n" + extra.read_text())
    environments = tomllib.loads((HERE / "environments.toml").read_text())
    known = {s.name: s for s in scenarios([HERE / "scenarios"], environments | {"python": {}})[0]}
    archive, counts = unpacked(), {"developed": 0, "untouched": 0}
    for made_truth in sorted(out.glob("*/truth.toml")):
        source, name = made_truth.parent, made_truth.parent.name
        size = sum(p.stat().st_size for p in (source / "run").rglob("*") if p.is_file())
        if size > LARGEST:
            print(f"left out {name}: {size // 1000} KB")
            continue
        if not (own := known.get(name)) and tomllib.loads(made_truth.read_text())["made"] == "real":
            print(f"left out {name}: no program has this name")
            continue
        part = own.split if own else "developed"
        made_truth.write_text(re.sub(r'(?m)^split = .*$', f'split = "{part}"', made_truth.read_text()))
        counts[part] += 1
        if part == "untouched":
            archive = {key: value for key, value in archive.items() if not key.startswith(f"{name}/")} | files_of(source, name)
        else:
            shutil.rmtree(LABELLED / name, ignore_errors=True)
            shutil.copytree(source, LABELLED / name)
    pack(archive)
    print(f"collected {counts['developed']} developed, {counts['untouched']} untouched")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", default=[], metavar="WORD", help="scenarios whose name contains WORD")
    parser.add_argument("--scenarios", action="append", type=Path, metavar="FOLDER", help="programs in other folders, instead of those here")
    parser.add_argument("--check", action="store_true", help="read the headers alone")
    parser.add_argument("--again", action="store_true", help="write the truth again, from the logs of the last run")
    parser.add_argument("--list", action="store_true", help="print the scenarios")
    parser.add_argument("--collect", type=Path, metavar="FOLDER", help="copy programs and outputs into the project")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, help="folder of the outputs (default: `faults` in the temporary directory)")
    parser.add_argument("--environments", type=Path, help="folder of the virtual environments (default: $FAULTS_ENVIRONMENTS, or OUT/env)")
    args = parser.parse_args()
    if args.collect:
        collect(args.collect, args.out or args.collect / "out")
        return 0
    out = (args.out or Path(tempfile.gettempdir()) / "faults").resolve()
    environments = (args.environments or Path(os.environ.get("FAULTS_ENVIRONMENTS") or out / "env")).resolve()
    folders = [folder.resolve() for folder in args.scenarios or [HERE / "scenarios"]]
    definitions = {"python": {"install": []}}
    for folder in [HERE, *(f.parent for f in folders)]:
        if (folder / "environments.toml").exists():
            definitions |= tomllib.loads((folder / "environments.toml").read_text())

    found, wrong = scenarios(folders, definitions)
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    chosen = [s for s in found if all(word in s.name for word in args.only)]
    if args.list:
        for s in chosen:
            print(f"{s.name:44} {s.kind:18} {s.environment:18} {s.fault}")
    if args.check or args.list:
        print(f"{len(chosen)} scenarios, {len(wrong)} wrong programs")
        return 1 if wrong else 0

    # A shell that runs this in the background ignores Ctrl-C, which the programs would inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Orphans of the programs become children of this process, and do not linger.
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    out.mkdir(parents=True, exist_ok=True)
    for environment in sorted({e for s in chosen for e in [s.environment, *s.needs] if e in definitions}):
        made(environment, definitions[environment]["install"], environments)

    def one(scenario):
        if lacking := absent(scenario, definitions):
            return f"left out {scenario.name}: needs {', '.join(lacking)}"
        python = made(scenario.environment, definitions[scenario.environment]["install"], environments)
        return made_scenario(scenario, out, python, environments, args.again)

    bad = 0
    with ThreadPoolExecutor(args.jobs) as pool:
        for sentence in pool.map(one, chosen):
            bad += not sentence.startswith("made")
            print(sentence, flush=True)
    print(f"{len(chosen) - bad} of {len(chosen)} made, in {out}")
    return 1 if bad or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
