#!/usr/bin/env python3
"""Pages of docs/ as a book: sources for mdBook, and a check of all links.

    scripts/book.py stage FOLDER    writes a book of docs/ into FOLDER, in which links lead out of the repository nowhere: pictures
                                    are copied beside the pages, other files are links to the repository
    scripts/book.py check FOLDER    checks every link, picture and anchor of the HTML below FOLDER, and those of the Markdown of
                                    the repository; exits with 1 if one leads nowhere

Links to other hosts are not followed. packaging/book.sh runs both, around mdBook.
"""

import html.parser
import os
import posixpath
import re
import shutil
import sys
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
REPOSITORY = "https://github.com/widetui/widetui/blob/main/"
# Links and pictures of Markdown: `](TARGET)`, without a title.
LINK = re.compile(r"\]\(([^()\s]+)\)")
CODE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def is_elsewhere(target):
    return re.match(r"[a-z][a-z+.-]*:", target) is not None


def stage(folder):
    """Writes the sources of the book."""
    source = os.path.join(ROOT, "docs")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("book"))
    pages = os.path.join(folder, "src")
    for path in markdown(pages):
        page = posixpath.join("docs/src", os.path.relpath(path, pages).replace(os.sep, "/"))

        def inside(match):
            target, anchor = (match.group(1).split("#", 1) + [""])[:2]
            if not target or is_elsewhere(target):
                return match.group(0)
            file = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
            if file.startswith("docs/src/"):
                return match.group(0)
            if file.startswith("screenshots/"):
                copy = os.path.join(pages, file)
                os.makedirs(os.path.dirname(copy), exist_ok=True)
                shutil.copyfile(os.path.join(ROOT, file), copy)
                return "](" + posixpath.relpath("docs/src/" + file, posixpath.dirname(page)) + ")"
            return "](" + REPOSITORY + file + ("#" + anchor if anchor else "") + ")"

        text = LINK.sub(inside, read(path))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def markdown(folder):
    """Paths of the Markdown files below a folder."""
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in ("target", ".git", "dist"))
        yield from (os.path.join(parent, name) for name in sorted(files) if name.endswith(".md"))


def anchors_of_markdown(text):
    """Anchors of the headings of a page, as GitHub makes them."""
    found = set()
    for heading in re.findall(r"^#+\s+(.*?)\s*#*$", CODE.sub("", text), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        number = 0
        while slug + (f"-{number}" if number else "") in found:
            number += 1
        found.add(slug + (f"-{number}" if number else ""))
    return found


def check_markdown():
    """Links of the Markdown of the repository that lead nowhere."""
    wrong = []
    for path in markdown(ROOT):
        page = os.path.relpath(path, ROOT)
        for target in LINK.findall(CODE.sub("", read(path))):
            if is_elsewhere(target):
                continue
            name, anchor = (urllib.parse.unquote(target).split("#", 1) + [""])[:2]
            file = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            if not os.path.exists(file):
                wrong.append(f"{page}: {target}: no such file")
            elif anchor and file.endswith(".md") and anchor not in anchors_of_markdown(read(file)):
                wrong.append(f"{page}: {target}: no such heading")
    return wrong


class Page(html.parser.HTMLParser):
    """Anchors and links of an HTML page."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


def check_html(folder):
    """Links of a built book that lead nowhere."""
    pages = {}
    for parent, _, files in os.walk(folder):
        for name in files:
            path = os.path.join(parent, name)
            pages[path] = Page(read(path)) if name.endswith(".html") else None
    wrong, links = [], 0
    for path, page in sorted((path, page) for path, page in pages.items() if page):
        # The page for unknown addresses stands nowhere.
        if os.path.basename(path) == "404.html":
            continue
        for target in page.links:
            if is_elsewhere(target) or target.startswith("//"):
                continue
            links += 1
            name, anchor = (urllib.parse.unquote(target).split("#", 1) + [""])[:2]
            file = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            to = file if file in pages else os.path.join(file, "index.html")
            if to not in pages:
                wrong.append(f"{os.path.relpath(path, folder)}: {target}: no such file")
            elif anchor and pages[to] and anchor not in pages[to].anchors:
                wrong.append(f"{os.path.relpath(path, folder)}: {target}: no such anchor")
    if links < 100:
        wrong.append(f"{folder}: only {links} links: not a book")
    return wrong


def main():
    command, folder = (sys.argv[1:] + ["", ""])[:2]
    if command == "stage" and folder:
        stage(folder)
    elif command == "check" and folder:
        wrong = check_markdown() + check_html(folder)
        print("\n".join(wrong) or "every link leads somewhere")
        sys.exit(1 if wrong else 0)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
