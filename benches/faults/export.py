#!/usr/bin/env python3
"""Makes test data of the outputs of scenarios of the tuned half: neutral names, an archive and its truth each.

    python3 benches/faults/export.py NAME... [--out FOLDER] [--to tests/data/faults] [--limit 60000]
"""

import argparse
import getpass
import io
import json
import re
import socket
import sys
import sysconfig
import tarfile
import tempfile
from pathlib import Path

import run

LEFT_OUT = {".db", ".pkl", ".pickle", ".pyc"}


def neutral(text, out, environments):
    """The text with neutral user, host and path names."""
    for pattern, name in (
        (re.escape(str(environments)), "/home/ana/env"),
        (re.escape(str(out / "untouched" / "at")) + "/[0-9a-f]{6}", "/home/ana/work"),
        (re.escape(str(out / "at")) + "/[0-9a-f]{6}", "/home/ana/work"),
        (re.escape(str(run.HERE)), "/home/ana/faults"),
        (re.escape(sysconfig.get_config_var("base")), "/usr"),
        (re.escape(tempfile.gettempdir()) + r"(?=/)", "/scratch"),
        (re.escape(str(Path.home())) + r"(?=/|\b)", "/home/ana"),
        (rf"(?<='user': '){re.escape(getpass.getuser())}(?=')", "ana"),
        (rf"\b{re.escape(socket.gethostname())}\b", "node1"),
    ):
        text = re.sub(pattern.encode(), name.encode(), text)
    return text


def packed(folder, out, environments):
    """An archive of the files of a run, compressed."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.suffix not in LEFT_OUT):
            text = neutral(path.read_bytes(), out, environments)
            entry = tarfile.TarInfo(f"run/{path.relative_to(folder)}")
            entry.size, entry.mtime = len(text), int(path.stat().st_mtime)
            archive.addfile(entry, io.BytesIO(text))
    return buffer.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="+")
    parser.add_argument("--out", type=Path, default=Path(tempfile.gettempdir()) / "faults", help="the folder of run.py")
    parser.add_argument("--environments", type=Path, help="the folder of run.py's environments")
    parser.add_argument("--to", type=Path, default=run.ROOT / "tests/data/faults")
    parser.add_argument("--limit", type=int, default=60_000, help="bytes of an archive")
    args = parser.parse_args()
    known = {s.name: s for s in run.scenarios() if not s.untouched}
    for name in args.names:
        if not (scenario := known.get(name)):
            sys.exit(f"{name} is no scenario of the tuned half; `run.py --list` prints them")
        data = packed(args.out / name / "run", args.out, args.environments or args.out / "env")
        if len(data) > args.limit:
            print(f"{name}: {len(data)} bytes, left out")
            continue
        folder = args.to / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "run.tar.gz").write_bytes(data)
        truth = {key: getattr(scenario, key) for key in ("fault", "environment", "must", "never", "severity", "healthy")}
        (folder / "truth.json").write_text(json.dumps(truth, indent=1) + "\n")
        print(f"{name}: {len(data)} bytes")


if __name__ == "__main__":
    main()
