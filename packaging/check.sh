#!/bin/sh
# Checks what packaging/build.sh left in dist/, as a user meets it: the wheel of this machine in an empty environment, and the
# static binary without one. Exits with 1 at the first failure.
set -eu
cd "$(dirname "$0")/.."

dist=$(cd "${OUT:-dist}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "FAILED: $*" >&2
    exit 1
}
run=$PWD/demo/hung.tar.gz

# Answers of a program on the run of the demo: one task that is stuck, and the finding that says so.
answers() {
    "$@" hung "$run" > "$work/hung.txt"
    grep -q 'task 24' "$work/hung.txt" || fail "$*: hung does not name task 24"
    "$@" diagnose "$run" > "$work/diagnose.txt"
    grep -q '24' "$work/diagnose.txt" || fail "$*: diagnose does not name task 24"
}

(cd "$dist" && sha256sum --quiet -c SHA256SUMS) || fail "a file is not what SHA256SUMS says"
python3 packaging/notices.py --check || fail "THIRD-PARTY-NOTICES.txt is out of date: run packaging/notices.py"

machine=$(uname -m)
wheel=$(ls "$dist"/widetui-*manylinux*"$machine".whl)
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-index "$wheel"
answers "$work/venv/bin/widetui"
for name in LICENSE-MIT LICENSE-APACHE THIRD-PARTY-NOTICES.txt; do
    find "$work/venv" -path '*dist-info*' -name "$name" | grep -q . || fail "the wheel has no $name"
done
needs=$(objdump -T "$work/venv/bin/widetui" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1)
newest=$(printf 'GLIBC_2.17\n%s\n' "$needs" | sort -V | tail -1)
[ "$newest" = GLIBC_2.17 ] || fail "the wheel needs $needs, manylinux2014 has GLIBC_2.17"
echo "wheel: $(du -h "$wheel" | cut -f1), needs $needs, answers as expected"

# The module, its pages and the exports, with the packages that read them.
"$work/venv/bin/pip" install --quiet --disable-pip-version-check pyarrow pandas polars duckdb matplotlib nbclient ipykernel mypy
"$work/venv/bin/python" python/tests/test_frames.py > "$work/frames.txt" 2>&1 || {
    cat "$work/frames.txt" >&2
    fail "python/tests/test_frames.py"
}

for archive in "$dist"/widetui-*-"$machine"-*.tar.gz; do
    [ -f "$archive" ] || {
        echo "left out: there is no archive for $machine"
        break
    }
    tar -C "$work" -xzf "$archive"
    folder=$work/$(basename "$archive" .tar.gz)
    readelf -d "$folder/widetui" | grep -q 'no dynamic section' || fail "$archive: the binary has a dynamic section"
    readelf -l "$folder/widetui" | grep -q INTERP && fail "$archive: the binary asks for a loader"
    answers env -i "$folder/widetui"
    for file in man/widetui.1 completions/widetui.bash completions/widetui.zsh completions/widetui.fish THIRD-PARTY-NOTICES.txt; do
        [ -s "$folder/$file" ] || fail "$archive has no $file"
    done
    echo "archive: $(du -h "$archive" | cut -f1), binary $(du -h "$folder/widetui" | cut -f1), static, answers as expected"
done

# Of other machines what can be seen without one, and the answers if an emulator is installed (qemu-user-static).
for archive in "$dist"/widetui-*-unknown-linux-musl.tar.gz; do
    target=$(basename "$archive" -unknown-linux-musl.tar.gz)
    other=${target##*-}
    [ "$other" != "$machine" ] && [ -f "$archive" ] || continue
    tar -C "$work" -xzf "$archive"
    binary=$work/$(basename "$archive" .tar.gz)/widetui
    readelf -d "$binary" | grep -q 'no dynamic section' || fail "$archive: the binary has a dynamic section"
    if command -v "qemu-$other-static" > /dev/null; then
        answers env -i "$(command -v "qemu-$other-static")" "$binary"
        echo "archive for $other: static, answers as expected under qemu"
    else
        echo "archive for $other: static, not run (there is no qemu-$other-static)"
    fi
done
for wheel in "$dist"/widetui-*manylinux*.whl; do
    case $wheel in *"$machine"*) continue ;; esac
    rm -rf "$work/wheel"
    python3 -m zipfile -e "$wheel" "$work/wheel"
    needs=$(readelf -W --dyn-syms "$work"/wheel/*/scripts/widetui | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1)
    newest=$(printf 'GLIBC_2.17\n%s\n' "$needs" | sort -V | tail -1)
    [ "$newest" = GLIBC_2.17 ] || fail "$wheel needs $needs, manylinux2014 has GLIBC_2.17"
    echo "$(basename "$wheel"): needs $needs"
done
