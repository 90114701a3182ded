#!/bin/sh
# Makes a release from a clean checkout, into dist/, as far as no account is needed:
#
#   widetui-VERSION.tar.gz            the sources
#   widetui-VERSION-*.whl, sdist      for pip, and simple/, an index for `pip install --index-url`
#   widetui-VERSION-TARGET.tar.gz     static binaries
#   widetui_VERSION_ARCH.deb, .rpm    packages of the static binaries
#   crates/                           the crates, as `cargo publish --workspace` uploads them
#   recipes/                          the recipes with version and checksums
#   widetui.cdx.json                  bill of materials (CycloneDX): the crates in the binaries
#   notes.md                          the section of the changelog
#   SHA256SUMS
#
#   packaging/release.sh VERSION              all of it
#   packaging/release.sh VERSION TARGET...    binaries for these targets only, as packaging/build.sh
#
# SKIP_BUILD=1 takes the wheels and archives that dist/ has, and fails if it lacks one of them. Then: push the tag vVERSION (.github/workflows/release.yml
# publishes what this script makes), `cargo publish --workspace`, and send the recipes to conda-forge, Spack and EasyBuild.
set -eu
cd "$(dirname "$0")/.."

fail() {
    echo "FAILED: $*" >&2
    exit 1
}
version=${1:?"usage: packaging/release.sh VERSION [TARGET...]"}
shift
out=${OUT:-dist}
mkdir -p "$out"
out=$(cd "$out" && pwd)
venv=${VENV:-target/packaging}
left_out=

for file in Cargo.toml pyproject.toml; do
    grep -q "^version = \"$version\"" "$file" || fail "$file has another version than $version"
done
grep -qF "## [$version]" CHANGELOG.md || fail "CHANGELOG.md has no section $version"
[ -z "$(git status --porcelain)" ] || [ -n "${ALLOW_DIRTY:-}" ] || fail "the checkout has changes: commit them first"
WIDETUI_COMMIT=$(git rev-parse --short=12 HEAD)
export WIDETUI_COMMIT

echo "== sources"
source=widetui-$version.tar.gz
git archive --format=tar --prefix="widetui-$version/" HEAD | gzip -n > "$out/$source"
sum=$(sha256sum "$out/$source" | cut -d' ' -f1)

[ -n "${SKIP_BUILD:-}" ] || OUT=$out VENV=$venv packaging/build.sh "$@"
lacking=
for target in ${*:-x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu x86_64-unknown-linux-musl aarch64-unknown-linux-musl}; do
    case $target in
    *-gnu) set -- "widetui-$version-*manylinux*_${target%%-*}.whl" ;;
    *) set -- "widetui-$version-*musllinux*_${target%%-*}.whl" "widetui-$version-$target.tar.gz" ;;
    esac
    for file; do
        find "$out" -maxdepth 1 -name "$file" | grep -q . || lacking="$lacking $file"
    done
done
[ -z "$lacking" ] || [ -z "${SKIP_BUILD:-}" ] || fail "$out lacks$lacking: build them first (packaging/build.sh)"

echo "== sdist"
[ -x "$venv/bin/maturin" ] || {
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check 'maturin>=1.9.4,<2'
}
# The name of the sources: the sdist goes to a folder of its own.
mkdir -p "$out/sdist"
"$venv/bin/maturin" sdist --out "$out/sdist"

echo "== crates"
mkdir -p "$out/crates"
packages=$(sed -n 's/^name = "\(widetui-testing.*\)"/--exclude \1/p' crates/*/Cargo.toml)
# shellcheck disable=SC2086
cargo package --quiet --workspace $packages --locked --no-verify ${ALLOW_DIRTY:+--allow-dirty}
cp "${CARGO_TARGET_DIR:-target}"/package/widetui*-"$version".crate "$out/crates"

# Packages of Linux distributions: the static binary runs on all of them.
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
for archive in "$out"/widetui-"$version"-*-linux-musl.tar.gz; do
    [ -f "$archive" ] || {
        left_out="$left_out .deb and .rpm (no static binary)"
        break
    }
    target=$(basename "$archive" .tar.gz)
    machine=$(echo "${target#widetui-"$version"-}" | cut -d- -f1)
    tar -C "$stage" -xzf "$archive"
    from=$stage/$target
    root=$stage/root-$machine
    install -D "$from/widetui" "$root/usr/bin/widetui"
    install -D -m 644 "$from/man/man1/widetui.1" "$root/usr/share/man/man1/widetui.1"
    install -D -m 644 "$from/completions/widetui.bash" "$root/usr/share/bash-completion/completions/widetui"
    install -D -m 644 "$from/completions/widetui.zsh" "$root/usr/share/zsh/site-functions/_widetui"
    install -D -m 644 "$from/completions/widetui.fish" "$root/usr/share/fish/vendor_completions.d/widetui.fish"
    for file in LICENSE-MIT LICENSE-APACHE THIRD-PARTY-NOTICES.txt; do
        install -D -m 644 "$from/$file" "$root/usr/share/doc/widetui/$file"
    done
    if command -v dpkg-deb > /dev/null; then
        case $machine in x86_64) arch=amd64 ;; aarch64) arch=arm64 ;; *) arch=$machine ;; esac
        cp -r "$root" "$root-deb"
        mkdir "$root-deb/DEBIAN"
        mv "$root-deb/usr/share/zsh/site-functions" "$root-deb/usr/share/zsh/vendor-completions"
        install -D -m 644 packaging/debian/copyright "$root-deb/usr/share/doc/widetui/copyright"
        sed -n "/^Package:/,\$p" packaging/debian/control | sed -e '/^Depends:/d' -e "s/^Architecture: .*/Architecture: $arch/" \
            -e "/^Package:/a Version: $version" -e "/^Package:/a Maintainer: $(sed -n 's/^Maintainer: //p' packaging/debian/control)" \
            > "$root-deb/DEBIAN/control"
        dpkg-deb --root-owner-group --build "$root-deb" "$out/widetui_${version}_$arch.deb" > /dev/null
    else
        left_out="$left_out .deb (no dpkg-deb)"
    fi
    if command -v rpmbuild > /dev/null; then
        rpmbuild --quiet -bb --target "$machine" --define "_topdir $stage/rpm-$machine" --define "version $version" \
            --define "root $root" packaging/rpm/widetui.spec
        cp "$stage/rpm-$machine/RPMS/$machine"/*.rpm "$out"
    else
        left_out="$left_out .rpm (no rpmbuild)"
    fi
done

echo "== recipes"
mkdir -p "$out/recipes"
# Without a binary its checksum is a word, by which the recipe is left out.
sum_of() {
    if [ -f "$out/$1" ]; then sha256sum "$out/$1" | cut -d" " -f1; else echo "@SHA256_OF_$1@"; fi
}
x86_64=$(sum_of "widetui-$version-x86_64-unknown-linux-musl.tar.gz")
aarch64=$(sum_of "widetui-$version-aarch64-unknown-linux-musl.tar.gz")
for recipe in conda/recipe.yaml homebrew/widetui.rb spack/package.py easybuild/widetui.eb apptainer/widetui.def modulefile/widetui.lua; do
    mkdir -p "$out/recipes/$(dirname $recipe)"
    sed -e "s/@VERSION@/$version/g" -e "s/@SHA256@/$sum/g" -e "s/@SHA256_X86_64@/$x86_64/g" -e "s/@SHA256_AARCH64@/$aarch64/g" \
        "packaging/$recipe" > "$out/recipes/$recipe"
    ! grep -q @SHA256_OF_ "$out/recipes/$recipe" || {
        left_out="$left_out $recipe (no static binary of each machine)"
        rm "$out/recipes/$recipe"
    }
done

echo "== index for pip"
index=$out/simple/widetui
mkdir -p "$index"
cp "$out"/*.whl "$out"/sdist/*.tar.gz "$index" 2> /dev/null || true
{
    echo '<!DOCTYPE html><title>widetui</title>'
    for file in "$index"/*.whl "$index"/*.tar.gz; do
        [ -f "$file" ] || continue
        name=$(basename "$file")
        echo "<a href=\"$name#sha256=$(sha256sum "$file" | cut -d' ' -f1)\">$name</a><br>"
    done
} > "$index/index.html"

python3 packaging/notices.py --bill "$out/widetui.cdx.json"
sed -n "/^## \[$version\]/,/^## /p" CHANGELOG.md | sed '/^## /d' > "$out/notes.md"

(cd "$out" && find . -type f ! -name SHA256SUMS ! -path './simple/*' | sed 's|^\./||' | sort | xargs sha256sum -- > SHA256SUMS)
[ -z "$left_out" ] || echo "left out:$left_out"
echo "widetui $version is in $out"
