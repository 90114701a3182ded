//! Packs the built-in system definitions (`systems/*.toml`) and writes a Rust table that lists them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use widetui_definition::error::FileText;
use widetui_definition::packed::pack;

/// Folder of the definitions, relative to this crate: in the repository a symbolic link, in a published crate a copy.
const SYSTEMS: &str = "systems";

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let target = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    // Only relative paths go into the table: the build output may be used from another checkout.
    let mut out = String::new();
    out.push_str("/// System definitions: name (of the file, without `.toml`), text, and the same packed, by name.\n");
    out.push_str("pub static SYSTEMS: &[(&str, &str, &[u8])] = &[\n");
    println!("cargo::rerun-if-changed={SYSTEMS}");
    let mut files = toml_files(&root.join(SYSTEMS))?;
    files.sort();
    for file in files {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let text = fs::read_to_string(&file)?;
        let name = format!("systems/{stem}.toml");
        let origin = FileText {
            file: &name,
            text: &text,
        };
        let packed =
            pack::pack(&text).map_err(|e| io::Error::other(origin.syntax_error(&e).to_string()))?;
        fs::write(target.join(format!("{stem}.packed")), packed)?;
        let _ = writeln!(
            out,
            "    ({stem:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/{SYSTEMS}/{stem}.toml\")), include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{stem}.packed\"))),",
        );
    }
    out.push_str("];\n");
    fs::write(target.join("embedded.rs"), out)
}

/// `.toml` files in a folder.
fn toml_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "toml") {
            files.push(path);
        }
    }
    Ok(files)
}
