#!/bin/sh
# Makes a toolchain with the standard library of further targets, where rustup's server is out of reach: in
# target/toolchain, with the compiler and the sources of Debian's packages rustc-web and rust-web-src, without root.
#
#   packaging/targets.sh aarch64-unknown-linux-gnu x86_64-unknown-linux-musl aarch64-unknown-linux-musl
#   RUSTC=$PWD/target/toolchain/rustc packaging/build.sh
#
# Needs Debian 12 or later with its security updates, cargo, and the registry of crates.
set -eu
cd "$(dirname "$0")/.."

toolchain=$PWD/target/toolchain
libraries=$toolchain/usr/lib/rustlib
mkdir -p "$toolchain/packages" "$toolchain/empty/src"

if [ ! -x "$toolchain/usr/bin/rustc" ]; then
    needed=$(apt-cache depends --recurse --no-recommends --no-suggests --no-breaks --no-conflicts --no-replaces rustc-web |
        grep -E '^(rustc-web|libstd-rust-web-dev|libstd-rust-web-[0-9.]+|libllvm[0-9]+)$' | sort -u)
    # shellcheck disable=SC2086
    (cd "$toolchain/packages" && apt-get download $needed rust-web-src)
    for package in "$toolchain"/packages/*.deb; do
        dpkg -x "$package" "$toolchain"
    done
fi
cat > "$toolchain/rustc" << END
#!/bin/sh
LD_LIBRARY_PATH=$toolchain/usr/lib/$(uname -m)-linux-gnu exec "$toolchain/usr/bin/rustc" "\$@"
END
chmod +x "$toolchain/rustc"

# The library of a target is built as a dependency of an empty crate.
printf '[package]\nname = "empty"\nedition = "2024"\n[workspace]\n' > "$toolchain/empty/Cargo.toml"
: > "$toolchain/empty/src/lib.rs"
for target in "$@"; do
    # With bitcode, for the link-time optimisation of the profile `dist`.
    (cd "$toolchain/empty" &&
        RUSTC=$toolchain/rustc RUSTC_BOOTSTRAP=1 RUSTFLAGS='-C embed-bitcode=yes' CARGO_TARGET_DIR=$toolchain/build \
            cargo build --release -Z build-std=std,panic_abort --target "$target")
    rm -rf "${libraries:?}/$target"
    mkdir -p "$libraries/$target/lib"
    find "$toolchain/build/$target/release/deps" -name '*.rlib' ! -name 'libempty-*' -exec cp {} "$libraries/$target/lib" \;
    echo "$target: $("$toolchain/rustc" --version)"
done
