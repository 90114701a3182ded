#!/usr/bin/env python3
"""Draws doc comments, identifiers, module names and user strings at random from the source, for a review of their words.

A reader who does not know the project says of each line whether a fluent engineer knows at once what it is. The same seed
draws the same lines from the same source.

    python3 scripts/sample_words.py --seed 1
    python3 scripts/sample_words.py --seed 1 --kind docs --count 50
    python3 scripts/sample_words.py --words told thing      # how often words occur, by crate
"""

import argparse
import random
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COUNTS = {"docs": 25, "identifiers": 25, "modules": 15, "strings": 15}
DOC = re.compile(r"^\s*//[/!] ?(.*)$")
ITEM = re.compile(
    r"^\s*(?:pub(?:\([^)]*\))? )?(?:const |async |unsafe )*(?:fn|struct|enum|trait|type|const|static) (\w+)"
)
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def sources():
    """Files of the program, without tests."""
    for folder in [ROOT / "src", *sorted((ROOT / "crates").glob("*/src"))]:
        for path in sorted(folder.rglob("*.rs")):
            if not re.search(r"/tests(\.rs|/)|_tests\.rs", str(path)):
                yield path


def production(path):
    """Lines of a file up to its inline test module."""
    lines = path.read_text().splitlines()
    for i, line in enumerate(lines):
        if line == "#[cfg(test)]" and any(l.endswith("{") and "mod " in l for l in lines[i + 1 : i + 4]):
            return lines[:i]
    return lines


def module_name(path):
    """Path of a module below its crate: `session::selection`."""
    rel = path.relative_to(ROOT).with_suffix("")
    parts = list(rel.parts)
    parts = parts[1:] if parts[0] == "crates" else ["widetui"] + parts
    parts = [p for p in parts if p not in ("src", "mod", "lib")]
    return "::".join(parts)


def first_sentence(text):
    end = re.search(r"\.(\s|$)", text)
    return text[: end.start() + 1] if end else text


def draw():
    """Everything that can be drawn, by kind: (place, text)."""
    found = {kind: [] for kind in COUNTS}
    for path in sources():
        place = module_name(path)
        found["modules"].append((place, place))
        block, in_attribute = [], False
        for line in production(path):
            doc = DOC.match(line)
            if doc:
                block.append(doc.group(1))
                continue
            if block and not line.strip().startswith("#["):
                item = re.sub(r"\s*[{(=].*$", "", line.strip())
                found["docs"].append((f"{place}, on `{item}`" if item else place, first_sentence(" ".join(block))))
                block = []
            item = ITEM.match(line)
            if item:
                found["identifiers"].append((place, line.strip()))
            if line.strip().startswith("//"):
                continue
            for text in STRING.findall(line):
                if text.count(" ") >= 2 and re.search(r"[a-z]{2}", text):
                    found["strings"].append((place, text))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=list(COUNTS))
    parser.add_argument("--count", type=int)
    parser.add_argument("--words", nargs="+", help="count these words by crate instead")
    args = parser.parse_args()
    if args.words:
        for word in args.words:
            counts = Counter()
            for path in sources():
                hits = len(re.findall(rf"\b\w*{word}\w*", "\n".join(production(path)), re.IGNORECASE))
                counts[module_name(path).split("::")[0]] += hits
            print(word, sum(counts.values()), {k: n for k, n in counts.most_common() if n})
        return
    found = draw()
    chance = random.Random(args.seed)
    for kind, count in COUNTS.items():
        picked = chance.sample(found[kind], min(args.count or count, len(found[kind])))
        if args.kind in (None, kind):
            print(f"\n## {kind} ({len(found[kind])} in all)")
            for i, (place, text) in enumerate(picked, 1):
                print(f"{i:3}. {text}" if place == text else f"{i:3}. {text}    [{place}]")


if __name__ == "__main__":
    main()
