//! The user's own files: `$XDG_CONFIG_HOME/widetui/` (else `~/.config/widetui/`).

use std::path::PathBuf;

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
    let Some(folder) = folder().map(|f| f.join("systems")) else {
        return Ok(Vec::new());
    };
    let Ok(entries) = std::fs::read_dir(&folder) else {
        return Ok(Vec::new());
    };
    let mut paths: Vec<PathBuf> = entries
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    paths.sort();
    paths
        .into_iter()
        .map(|path| match std::fs::read_to_string(&path) {
            Ok(text) => Ok((path.display().to_string(), text)),
            Err(error) => Err(format!("{}: cannot be read: {error}", path.display())),
        })
        .collect()
}
