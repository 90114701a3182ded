//! A draft of a definition for the logs of a run that no definition knows, written among the user's own definitions.

use std::fs;
use std::path::{Path, PathBuf};

use widetui_core::cancel::Cancel;
use widetui_store::{Nature, Snapshot, Source};

use widetui_source::atomic_file::{self, FileReaders};

use crate::{DraftRequest, draft};

/// Patterns of messages that a draft has at most, as that of the command.
const PATTERNS: usize = 30;
/// Names that are tried: the draft's own, and with a number behind it.
const NAMES: usize = 99;

/// Whether a source is a log that no definition knows.
#[must_use]
pub fn is_unknown(source: &Source) -> bool {
    source.is_log
        && !source.is(Nature::Table)
        && source.system.is_none()
        && source.stats.records() > 0
}

/// Writes a draft of this name to a file of its own in a folder (made when it is not there); gives the file. What
/// is there is left as it is: somebody may have worked on it.
///
/// # Errors
/// There is nothing to make it of, or the file cannot be written; in words for the user.
pub fn save(folder: &Path, snapshot: &Snapshot, own: &str) -> Result<PathBuf, String> {
    if !snapshot.sources.iter().any(|s| is_unknown(s)) {
        return Err("definitions know all of these logs: there is nothing to draft".to_owned());
    }
    let numbered = (2..=NAMES).map(|n| format!("{own}{n}"));
    let mut all = std::iter::once(own.to_owned()).chain(numbered);
    let free = all.find(|name| !folder.join(format!("{name}.toml")).exists());
    let name = free.ok_or_else(|| format!("{}: has {NAMES} drafts of {own}", folder.display()))?;
    let path = folder.join(format!("{name}.toml"));
    let asked = DraftRequest {
        name,
        most: PATTERNS,
    };
    let drafted = draft(snapshot, &asked, &Cancel::default())?;
    let failed = |error: std::io::Error| format!("{}: cannot be written: {error}", path.display());
    fs::create_dir_all(folder).map_err(failed)?;
    atomic_file::write(&path, &drafted.text, FileReaders::Umask).map_err(failed)?;
    Ok(path)
}
