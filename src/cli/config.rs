//! The user's own files: `$XDG_CONFIG_HOME/widetui/` (else `~/.config/widetui/`).

use std::path::{Path, PathBuf};

/// The folder of the user's files, if the environment names one.
pub fn folder() -> Option<PathBuf> {
    let base = match std::env::var_os("XDG_CONFIG_HOME").filter(|v| !v.is_empty()) {
        Some(base) => PathBuf::from(base),
        None => PathBuf::from(std::env::var_os("HOME")?).join(".config"),
    };
    // A relative path is to be ignored, says the specification of these folders.
    base.is_absolute().then(|| base.join("widetui"))
}

/// The user's definitions of systems, `systems/*.toml`, sorted by name: file names and texts.
///
/// # Errors
/// A file that is there but cannot be read, in words for the user.
pub fn user_systems() -> Result<Vec<(String, String)>, String> {
    let paths = toml_files("systems").into_iter();
    paths
        .map(|path| Ok((path.display().to_string(), read(&path)?)))
        .collect()
}

/// The user's files of one folder (`themes`, `keymaps`) by the names that options call them by, with their texts.
///
/// # Errors
/// A file that is there but cannot be read, in words for the user.
pub fn user_files(folder: &str) -> Result<Vec<(String, String)>, String> {
    let paths = toml_files(folder).into_iter();
    paths
        .map(|path| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            Ok((name.into_owned(), read(&path)?))
        })
        .collect()
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path)
        .map_err(|error| format!("{}: cannot be read: {error}", path.display()))
}

fn toml_files(name: &str) -> Vec<PathBuf> {
    let entries = folder().and_then(|f| std::fs::read_dir(f.join(name)).ok());
    let mut paths: Vec<PathBuf> = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    paths.sort();
    paths
}
