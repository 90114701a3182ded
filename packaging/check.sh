#!/bin/sh
# Checks what packaging/build.sh left in dist/, as a user meets it: the wheel of this machine in an empty environment and in each
# other scheme of pip, and the static binary without one; and what packaging/release.sh made of it: recipes, by the tools that read
# them as far as there are any, and the bill of materials. Exits with 1 at the first failure.
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

# The module finds the command that was installed with it, whatever the PATH has.
for scheme in --user --target --prefix; do
    rm -rf "$work/scheme"
    case $scheme in --user) set -- --user ;; *) set -- "$scheme" "$work/scheme" ;; esac
    PYTHONUSERBASE=$work/scheme PIP_BREAK_SYSTEM_PACKAGES=1 python3 -m pip install --quiet --disable-pip-version-check \
        --no-warn-script-location --root-user-action ignore --no-index --ignore-installed "$@" "$wheel"
    module=$(find "$work/scheme" -path '*/widetui/__init__.py')
    PYTHONPATH=$(dirname "$(dirname "$module")")
    export PYTHONPATH
    found=$(python3 -c 'import widetui; print(widetui._command())')
    case $found in "$work"/scheme/*) ;; *) fail "pip install $scheme: the module runs $found" ;; esac
    # The commit may follow the version.
    [ "$(python3 -m widetui --version | sed "1s, (.*,,;1q")" = "widetui $(python3 -c 'import widetui; print(widetui.__version__)')" ] ||
        fail "pip install $scheme: python -m widetui has another version than the module"
    unset PYTHONPATH
done
echo "pip install --user, --target, --prefix: the module finds its command"

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
    for file in man/man1/widetui.1 completions/widetui.bash completions/widetui.zsh completions/widetui.fish THIRD-PARTY-NOTICES.txt; do
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

# Packages of distributions: their files, and the answers of the command in them.
case $machine in x86_64) debian=amd64 ;; aarch64) debian=arm64 ;; *) debian=$machine ;; esac
for package in "$dist"/widetui_*_"$debian".deb "$dist"/widetui-*."$machine".rpm; do
    [ -f "$package" ] || continue
    root=$work/$(basename "$package")
    mkdir "$root"
    case $package in
    *.deb) dpkg-deb -x "$package" "$root" ;;
    *.rpm) rpm2archive - < "$package" | tar -xz -C "$root" ;;
    esac
    for file in bin/widetui share/man/man1/widetui.1 share/bash-completion/completions/widetui share/doc/widetui/LICENSE-MIT; do
        [ -s "$root/usr/$file" ] || [ -s "$root/usr/$file.gz" ] || fail "$package has no /usr/$file"
    done
    answers "$root/usr/bin/widetui"
    echo "$(basename "$package"): its files, and answers as expected"
done

[ -d "$dist/recipes" ] || exit 0
cd "$dist/recipes"
version=$("$work/venv/bin/python" -c 'import widetui; print(widetui.__version__)')
for recipe in */*; do
    ! grep '@[A-Z][A-Z0-9_]*@' "$recipe" || fail "$recipe: not filled in"
done
sum_of() {
    sha256sum "$dist/$1" | cut -d" " -f1
}
for recipe in conda/recipe.yaml homebrew/widetui.rb spack/package.py; do
    grep -q "$(sum_of "widetui-$version.tar.gz")" $recipe || fail "$recipe has not the checksum of the sources"
done
for archive in "$dist"/widetui-*-unknown-linux-musl.tar.gz; do
    [ -f "$archive" ] || break
    for recipe in easybuild/widetui.eb apptainer/widetui.def; do
        [ ! -f $recipe ] || grep -q "$(sum_of "$(basename "$archive")")" $recipe || fail "$recipe has not the checksum of $archive"
    done
done
"$work/venv/bin/pip" install --quiet --disable-pip-version-check py-rattler-build easybuild pycodestyle 'cyclonedx-python-lib[json-validation]'
"$work/venv/bin/python" - "$dist/widetui.cdx.json" << 'END'
import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from rattler_build import Stage0Recipe, VariantConfig

toolchain = VariantConfig.from_yaml("c_stdlib: [sysroot]\nc_stdlib_version: ['2.17']\n")
(package,) = Stage0Recipe.from_file("conda/recipe.yaml").render(toolchain)
compile(open("spack/package.py").read(), "spack/package.py", "exec")
problem = JsonStrictValidator(SchemaVersion.V1_5).validate_str(open(sys.argv[1]).read())
assert problem is None, problem
END
echo "conda: the recipe is rendered; spack: it is Python; bill of materials: valid"
[ ! -f apptainer/widetui.def ] || sed -n '/^%post/,/^%runscript/{//!p}' apptainer/widetui.def | sh -n || fail "apptainer/widetui.def: %post is no shell script"
if command -v ruby > /dev/null; then ruby -c homebrew/widetui.rb > /dev/null; else echo "left out: homebrew (no ruby)"; fi

# A real installation, where there are modules: EasyBuild makes one of Lmod, and runs the command in it.
LMOD_CMD=${LMOD_CMD:-/usr/share/lmod/lmod/libexec/lmod}
[ -f "$LMOD_CMD" ] && [ -f easybuild/widetui.eb ] || {
    echo "left out: easybuild, modulefile (no Lmod, or no static binary)"
    exit 0
}
eb() {
    EB_PYTHON=$work/venv/bin/python PATH=$work/venv/bin:$(dirname "$LMOD_CMD"):$PATH command eb --prefix "$work/easybuild" \
        --allow-use-as-root-and-accept-consequences --modules-tool Lmod easybuild/widetui.eb "$@" > "$work/eb.txt" 2>&1 || {
        cat "$work/eb.txt" >&2
        fail "eb $*"
    }
}
eb --check-contrib
eb --sourcepath "$dist"
mkdir -p "$work/modules/widetui"
sed "s|/opt/widetui/$version|$work/easybuild/software/widetui/$version|" modulefile/widetui.lua > "$work/modules/widetui/$version.lua"
for modules in "$work/easybuild/modules/all" "$work/modules"; do
    eval "$("$LMOD_CMD" sh use "$modules")"
    eval "$("$LMOD_CMD" sh load widetui)"
    [ "$(command -v widetui)" = "$work/easybuild/software/widetui/$version/widetui" ] || fail "$modules: the module gives another command"
    answers widetui
    man -w widetui > /dev/null || fail "$modules: the module gives no manual page"
    eval "$("$LMOD_CMD" sh purge)"
    eval "$("$LMOD_CMD" sh unuse "$modules")"
done
echo "easybuild: installed; its module and that of modulefile/ give the command and its manual page"
