//! Lists the keymaps and themes that the program carries in tables of their texts.
//!
//! Both folders are symbolic links in the repository, and copies in a published crate.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let target = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let mut out = String::new();
    for (folder, name, kind) in [
        ("keymaps", "KEYMAPS", "Keymaps"),
        ("themes", "THEMES", "Themes"),
    ] {
        let _ = writeln!(
            out,
            "/// {kind}: name (of the file, without `.toml`) and text, by name."
        );
        let _ = writeln!(out, "pub static {name}: &[(&str, &str)] = &[");
        for stem in stems(&root, folder)? {
            let _ = writeln!(
                out,
                "    ({stem:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/{folder}/{stem}.toml\"))),"
            );
        }
        out.push_str("];\n");
    }
    fs::write(target.join("embedded.rs"), out)
}

/// Names of the `.toml` files of a folder, without their endings, in order. The script runs again when one of them changes.
fn stems(root: &Path, folder: &str) -> io::Result<Vec<String>> {
    println!("cargo::rerun-if-changed={folder}");
    let mut names = Vec::new();
    for entry in fs::read_dir(root.join(folder))? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "toml") {
            names.extend(path.file_stem().map(|s| s.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}
