#!/usr/bin/env python3
"""Writes packaging/THIRD-PARTY-NOTICES.txt: the licences of all crates that are compiled into the program.

With --check it writes nothing, and exits with 1 if the file is out of date. Needs cargo and the sources of the crates, as
any build has them.
"""

import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUTPUT = os.path.join(ROOT, "packaging", "THIRD-PARTY-NOTICES.txt")
LICENCE_FILE = re.compile(r"^(LICEN[CS]E|COPYING|NOTICE|UNLICENSE|COPYRIGHT)", re.IGNORECASE)
PLATFORMS = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl"]


def metadata(platform):
    """Packages by id, and the resolved graph of dependencies for one platform."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--all-features", "--filter-platform", platform]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)


def compiled_in(data):
    """Packages that the program is linked from: normal dependencies, without those of tests and build scripts."""
    packages = {p["id"]: p for p in data["packages"]}
    nodes = {n["id"]: n for n in data["resolve"]["nodes"]}
    root = next(p["id"] for p in data["packages"] if p["name"] == "widetui" and p["source"] is None)
    seen, todo = set(), [root]
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        for dep in nodes[node]["deps"]:
            if any(kind["kind"] is None for kind in dep["dep_kinds"]):
                todo.append(dep["pkg"])
    return [packages[i] for i in seen if packages[i]["source"] is not None]


def licence_texts(package):
    """Texts of the licence files beside a package's manifest, by file name."""
    folder = os.path.dirname(package["manifest_path"])
    texts = {}
    names = sorted(os.listdir(folder))
    # Where there is a choice, the MIT licence is taken: it is short.
    is_choice = re.search(r" OR |/", package["license"] or "")
    mit = [name for name in names if re.match(r"LICEN[CS]E-MIT", name, re.IGNORECASE)]
    if is_choice and mit:
        names = mit + [name for name in names if name.upper().startswith("NOTICE")]
    for name in names:
        path = os.path.join(folder, name)
        if LICENCE_FILE.match(name) and os.path.isfile(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                texts[name] = "\n".join(line.rstrip() for line in file.read().strip().splitlines())
    return texts


def notices():
    """The whole file."""
    packages = {}
    for platform in PLATFORMS:
        for package in compiled_in(metadata(platform)):
            packages[(package["name"], package["version"])] = package
    out = [
        "widetui is linked from the crates below. Each is listed with its licence; the texts follow, each once.",
        "",
    ]
    numbers, texts = {}, []
    for (name, version), package in sorted(packages.items()):
        found = []
        for file, text in licence_texts(package).items():
            if text not in numbers:
                numbers[text] = len(numbers) + 1
                texts.append(text)
            found.append(f"{file} [{numbers[text]}]")
        authors = ", ".join(package["authors"])
        out.append(f"{name} {version}: {package['license'] or 'see its licence file'}")
        out.append(f"    {package['repository'] or ''}".rstrip())
        if not found and authors:
            out.append(f"    by {authors}")
        if found:
            out.append(f"    {', '.join(found)}")
    out.append("")
    out.append("The program contains SQLite (https://sqlite.org), which is in the public domain.")
    for number, text in enumerate(texts, 1):
        out += ["", "-" * 100, f"[{number}]", "", text]
    return "\n".join(out) + "\n"


def main():
    text = notices()
    if sys.argv[1:] == ["--check"]:
        with open(OUTPUT, encoding="utf-8") as file:
            sys.exit(0 if file.read() == text else 1)
    with open(OUTPUT, "w", encoding="utf-8") as file:
        file.write(text)
    print(f"{OUTPUT}: {len(text)} bytes")


if __name__ == "__main__":
    main()
