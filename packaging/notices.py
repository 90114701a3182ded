#!/usr/bin/env python3
"""Writes packaging/THIRD-PARTY-NOTICES.txt: the licences of all crates that are compiled into the program.

    packaging/notices.py                writes it
    packaging/notices.py --check        writes nothing, and exits with 1 if the file is out of date
    packaging/notices.py --bill FILE    writes the same crates as a bill of materials (CycloneDX)

Needs cargo and the sources of the crates, as any build has them.
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
    """Packages that the program is linked from, with the ids of those that each depends on: normal dependencies, without those of
    tests and build scripts. The program is the first."""
    nodes = {n["id"]: n for n in data["resolve"]["nodes"]}
    root = next(p["id"] for p in data["packages"] if p["name"] == "widetui" and p["source"] is None)
    needs, todo = {}, [root]
    while todo:
        node = todo.pop()
        if node not in needs:
            kinds = {dep["pkg"]: [kind["kind"] for kind in dep["dep_kinds"]] for dep in nodes[node]["deps"]}
            needs[node] = sorted(package for package, kinds in kinds.items() if None in kinds)
            todo += needs[node]
    return needs


def shipped():
    """Packages of the program on any platform by id, and the ids of those that each needs. The program is the first."""
    packages, needs = {}, {}
    for platform in PLATFORMS:
        data = metadata(platform)
        packages.update((package["id"], package) for package in data["packages"])
        for package, ids in compiled_in(data).items():
            needs.setdefault(package, set()).update(ids)
    return {package: packages[package] for package in needs}, needs


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
    foreign = (package for package in shipped()[0].values() if package["source"])
    packages = {(package["name"], package["version"]): package for package in foreign}
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


def bill():
    """The bill of materials: a document of CycloneDX, the same for the same sources."""
    packages, needs = shipped()
    with open(os.path.join(ROOT, "Cargo.lock"), encoding="utf-8") as file:
        locked = re.findall(r'name = "(.+)"\nversion = "(.+)"\nsource = .+\nchecksum = "(.+)"', file.read())
    checksums = {(name, version): checksum for name, version, checksum in locked}

    def url(package):
        return "pkg:cargo/{name}@{version}".format(**package)

    def component(package):
        found = {"type": "library", "bom-ref": url(package), "name": package["name"], "version": package["version"], "purl": url(package)}
        if package["license"]:
            found["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
        checksum = checksums.get((package["name"], package["version"]))
        if checksum:
            found["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        if package["repository"]:
            found["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
        return found

    program, *others = packages.values()
    depends = [{"ref": url(packages[of]), "dependsOn": sorted(url(packages[on]) for on in ids)} for of, ids in needs.items()]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {**component(program), "type": "application"}},
        "components": sorted(map(component, others), key=lambda other: other["bom-ref"]),
        "dependencies": sorted(depends, key=lambda one: one["ref"]),
    }


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    print(f"{path}: {len(text)} bytes")


def main():
    if sys.argv[1:2] == ["--bill"]:
        write(sys.argv[2], json.dumps(bill(), indent=1) + "\n")
    elif sys.argv[1:] == ["--check"]:
        with open(OUTPUT, encoding="utf-8") as file:
            sys.exit(0 if file.read() == notices() else 1)
    else:
        write(OUTPUT, notices())


if __name__ == "__main__":
    main()
