#!/bin/sh
# Builds everything that is published, into dist/:
#
#   widetui-VERSION-py3-none-PLATFORM.whl    the command for pip: manylinux2014 (glibc 2.17) and musllinux
#   widetui-VERSION-TARGET.tar.gz            a static binary, completions, man page, licences
#   SHA256SUMS
#
# Needs cargo, Python 3.8 or later with venv, and the registries of crates and Python packages. The C compiler and the
# linker for other platforms are zig's, from the package `ziglang`. A platform is built if its Rust target is installed
# (`rustup target add TARGET`; without rustup's server, packaging/targets.sh makes them from Debian's packages), and reported as left
# out if not.
#
#   packaging/build.sh                           all platforms
#   packaging/build.sh x86_64-unknown-linux-gnu  these targets only
#
# The completions and the man page of archives are printed by the binary of this machine: NATIVE=PATH names one if none
# of the targets is of this machine.
set -eu
cd "$(dirname "$0")/.."

out=${OUT:-dist}
venv=${VENV:-target/packaging}
mkdir -p "$out"
out=$(cd "$out" && pwd)
version=$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml | head -1)
libraries=$("${RUSTC:-rustc}" --print sysroot)/lib/rustlib
target_dir=${CARGO_TARGET_DIR:-target}
left_out=
# `widetui --version` names it.
WIDETUI_COMMIT=${WIDETUI_COMMIT:-$(git rev-parse --short=12 HEAD 2> /dev/null || true)}
export WIDETUI_COMMIT

[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check 'maturin>=1.9.4,<2' ziglang
PATH=$(cd "$venv/bin" && pwd):$PATH

is_installed() {
    [ -d "$libraries/$1/lib" ] && return 0
    left_out="$left_out $1"
    return 1
}

# wheel TARGET PLATFORM
wheel() {
    echo "== wheel for $2 ($1)"
    maturin build --profile dist --locked --zig --target "$1" --compatibility "$2" --out "$out"
}

# archive TARGET BINARY
archive() {
    echo "== archive of $1"
    name=widetui-$version-$1
    stage=$target_dir/packaging-stage/$name
    rm -rf "$stage"
    mkdir -p "$stage/completions" "$stage/man/man1"
    cp "$2" "$stage/widetui"
    cp README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE packaging/THIRD-PARTY-NOTICES.txt "$stage"
    : "${native:?no target of this machine is among the targets, and NATIVE names no binary}"
    for shell in bash zsh fish elvish powershell; do
        "$native" completions "$shell" > "$stage/completions/widetui.$shell"
    done
    "$native" man > "$stage/man/man1/widetui.1"
    tar --sort=name --owner=0 --group=0 --numeric-owner -C "$stage/.." -czf "$out/$name.tar.gz" "$name"
}

targets=${*:-x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu x86_64-unknown-linux-musl aarch64-unknown-linux-musl}
# Without relocations: no dynamic section, nothing for a loader to do. zig has the C library and its start files.
static='-C target-feature=+crt-static -C relocation-model=static -C link-self-contained=no'
native=${NATIVE:-}
for target in $targets; do
    is_installed "$target" || continue
    binary=$target_dir/$target/dist/widetui
    case $(uname -m)-$target in
    x86_64-x86_64-* | aarch64-aarch64-*) native=$binary ;;
    esac
    case $target in
    *-gnu)
        wheel "$target" manylinux2014
        ;;
    *-musl)
        RUSTFLAGS=$static wheel "$target" musllinux_1_2
        archive "$target" "$binary"
        ;;
    esac
done

(cd "$out" && find . -maxdepth 1 -name '*.whl' -o -maxdepth 1 -name '*.tar.gz' | sed 's|^./||' | sort | xargs sha256sum -- > SHA256SUMS)
for target in $left_out; do
    echo "left out: $target is not installed (rustup target add $target)"
done
ls -l "$out"
