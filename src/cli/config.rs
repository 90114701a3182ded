//! The user's own files: `$XDG_CONFIG_HOME/widetui/` (else `~/.config/widetui/`).

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use widetui_definition::error::FileText;
use widetui_session::definitions;

/// Folder of the user's files, if the environment names one.
pub fn folder() -> Option<PathBuf> {
    let base = match std::env::var_os("XDG_CONFIG_HOME").filter(|v| !v.is_empty()) {
        Some(base) => PathBuf::from(base),
        None => PathBuf::from(std::env::var_os("HOME")?).join(".config"),
    };
    // The XDG base directory specification ignores relative paths.
    base.is_absolute().then(|| base.join("widetui"))
}

/// Folder of saved workspaces: `$XDG_STATE_HOME/widetui` (else `~/.local/state/widetui`).
pub fn state_folder() -> Option<PathBuf> {
    let base = match std::env::var_os("XDG_STATE_HOME").filter(|v| !v.is_empty()) {
        Some(base) => PathBuf::from(base),
        None => PathBuf::from(std::env::var_os("HOME")?).join(".local/state"),
    };
    base.is_absolute().then(|| base.join("widetui"))
}

/// Settings of the user in `config.toml`: defaults of options.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Name of the theme.
    pub theme: Option<String>,
    /// Name of the keymap.
    pub keymap: Option<String>,
    /// Draw with ASCII characters only.
    #[serde(default)]
    pub ascii: bool,
    /// Characters of plots: braille, blocks, ascii.
    pub plots: Option<String>,
    /// Use the mouse.
    pub mouse: Option<bool>,
}

/// Settings of the user, and the problem of the file if there is one. The environment variables `WIDETUI_THEME`,
/// `WIDETUI_KEYMAP` and `WIDETUI_PLOTS` take precedence over the file.
pub fn settings() -> (Settings, Option<String>) {
    let path = folder()
        .map(|f| f.join("config.toml"))
        .filter(|p| p.exists());
    let (mut settings, trouble) = match path.map(|path| parse_settings(&path)) {
        None => (Settings::default(), None),
        Some(Ok(settings)) => (settings, None),
        Some(Err(error)) => (Settings::default(), Some(error)),
    };
    let variable = |name| std::env::var(name).ok().filter(|v| !v.is_empty());
    settings.theme = variable("WIDETUI_THEME").or(settings.theme);
    settings.keymap = variable("WIDETUI_KEYMAP").or(settings.keymap);
    settings.plots = variable("WIDETUI_PLOTS").or(settings.plots);
    (settings, trouble)
}

fn parse_settings(path: &Path) -> Result<Settings, String> {
    let (file, text) = (path.display().to_string(), read(path)?);
    let origin = FileText {
        file: &file,
        text: &text,
    };
    toml::from_str(&text).map_err(|e| origin.toml_error(&e).to_string())
}

/// Files of one of the user's folders (`systems`, `themes`, `keymaps`), sorted by name: paths and texts. A file or a
/// folder that cannot be read is left out, with a message in `problems`.
pub fn user_files(folder: &str, problems: &mut Vec<String>) -> Vec<(String, String)> {
    let paths = toml_files(folder).unwrap_or_else(|error| {
        problems.push(error);
        Vec::new()
    });
    let mut files = Vec::with_capacity(paths.len());
    for path in paths {
        match read(&path) {
            Ok(text) => files.push((path.display().to_string(), text)),
            Err(error) => problems.push(error),
        }
    }
    files
}

/// Valid definitions of the user. Others are left out, with messages in `problems`.
pub fn user_definitions(problems: &mut Vec<String>) -> Vec<(String, String)> {
    let files = user_files("systems", problems);
    definitions::valid(files, problems)
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path)
        .map_err(|error| format!("{}: cannot be read: {error}", path.display()))
}

/// TOML files of a folder; none if it does not exist.
fn toml_files(name: &str) -> Result<Vec<PathBuf>, String> {
    let Some(folder) = folder().map(|f| f.join(name)) else {
        return Ok(Vec::new());
    };
    let cannot = |error: std::io::Error| format!("{}: cannot be read: {error}", folder.display());
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(cannot(error)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(cannot)?.path();
        if path.extension().is_some_and(|e| e == "toml") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}
