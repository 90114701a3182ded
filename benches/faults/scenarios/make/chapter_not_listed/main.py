r"""
fault = "The list of chapters is expanded before the build makes chapter 09; the book of a fresh checkout lacks it, without a word."
kind = "skipped"
outcome = "failed"
cause = [
  { file = "build.log", text = '09-changes', which = "all" },
  { file = "build.log", text = '^cat html/01-start', which = "all" },
]
subject = ["09-changes.md", "chapter 09"]
shows = 'contents has 12 chapters, book has 11'
program = "GNU make 4.3"
"""

import subprocess
import sys
from pathlib import Path

NAMES = ["start", "install", "tour", "queries", "tables", "plots", "scripts", "limits", "changes", "glossary", "licences", "index"]
book = Path("../book")
(book / "chapters").mkdir(parents=True)
(book / "Makefile").write_text(Path("../book.mk").read_text())
(book / "contents.txt").write_text("".join(f"{n:02}-{name}\n" for n, name in enumerate(NAMES, 1)))
(book / "history.txt").write_text("".join(f"2.{n}: repairs\n" for n in range(9)))
for n, name in enumerate(NAMES, 1):
    if name != "changes":
        (book / f"chapters/{n:02}-{name}.md").write_text(f"# {name}\n\n" + "Some text. " * 40 * n)
with open("build.log", "w") as log:
    sys.exit(subprocess.run(["make", "-j2", "-C", "../book", "book"], stdout=log, stderr=log).returncode)
