//! Lists the definitions, keymaps and themes that the program carries into tables of their texts, and packs the definitions.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

#[path = "src/format/packed/mark.rs"]
mod mark;
#[path = "build/pack.rs"]
mod pack;

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let target = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    // No path of this machine gets into it: what was built may be used in another checkout.
    let mut out = String::new();
    let systems = stems(&root, "systems")?;
    out.push_str("/// System definitions: name (of the file, without `.toml`), text, and the same packed, by name.\n");
    out.push_str("pub static SYSTEMS: &[(&str, &str, &[u8])] = &[\n");
    for stem in &systems {
        let text = fs::read_to_string(root.join(format!("systems/{stem}.toml")))?;
        let packed =
            pack::pack(&text).map_err(|e| io::Error::other(format!("systems/{stem}.toml: {e}")))?;
        fs::write(target.join(format!("{stem}.packed")), packed)?;
        let _ = writeln!(
            out,
            "    ({stem:?}, {}, include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{stem}.packed\"))),",
            include_text("systems", stem),
        );
    }
    out.push_str("];\n");
    for (folder, name, what) in [
        ("keymaps", "KEYMAPS", "Keymaps"),
        ("themes", "THEMES", "Themes"),
    ] {
        let _ = writeln!(
            out,
            "/// {what}: name (of the file, without `.toml`) and text, by name."
        );
        let _ = writeln!(out, "pub static {name}: &[(&str, &str)] = &[");
        for stem in stems(&root, folder)? {
            let _ = writeln!(out, "    ({stem:?}, {}),", include_text(folder, &stem));
        }
        out.push_str("];\n");
    }
    fs::write(target.join("embedded.rs"), out)
}

/// What puts the text of a file in its place.
fn include_text(folder: &str, stem: &str) -> String {
    format!("include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/{folder}/{stem}.toml\"))")
}

/// Names of the `.toml` files of a folder, without their ends, in order. The script runs again when one of them changes.
fn stems(root: &Path, folder: &str) -> io::Result<Vec<String>> {
    println!("cargo::rerun-if-changed={folder}");
    let mut files = toml_files(&root.join(folder))?;
    files.sort();
    let stem = |file: &PathBuf| Some(file.file_stem()?.to_string_lossy().into_owned());
    Ok(files.iter().filter_map(stem).collect())
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
