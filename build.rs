//! Lists the definitions, keymaps and themes that the program carries into one table of their texts.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    // No path of this machine gets into it: what was built may be used in another checkout.
    let mut out = String::new();
    for (folder, name, what) in [
        ("systems", "SYSTEMS", "System definitions"),
        ("keymaps", "KEYMAPS", "Keymaps"),
        ("themes", "THEMES", "Themes"),
    ] {
        println!("cargo::rerun-if-changed={folder}");
        let mut files = toml_files(&root.join(folder))?;
        files.sort();
        let _ = writeln!(
            out,
            "/// {what}: name (of the file, without `.toml`) and text, by name."
        );
        let _ = writeln!(out, "pub const {name}: &[(&str, &str)] = &[");
        for file in files {
            let stem = file
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let _ = writeln!(
                out,
                "    ({stem:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/{folder}/{stem}.toml\"))),",
            );
        }
        out.push_str("];\n");
    }
    let target = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("embedded.rs");
    fs::write(target, out)
}

/// The `.toml` files of a folder; none when there is no such folder.
fn toml_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    if folder.is_dir() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|e| e == "toml") {
                files.push(path);
            }
        }
    }
    Ok(files)
}
