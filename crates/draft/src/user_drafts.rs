//! Drafts of definitions, saved among the user's own definitions.

use std::fs;
use std::path::{Path, PathBuf};

use widetui_core::cancel::Cancel;
use widetui_store::{Snapshot, Source, SourceTrait};

use widetui_source::atomic_file::{self, FileReaders};
use widetui_source::folder_lock::FolderLock;

use crate::{DraftRequest, draft};

/// Maximum number of message patterns, as the default of the command.
const PATTERNS: usize = 30;
/// Number of names that are tried: the name itself, then with numbers appended.
const NAMES: usize = 99;

/// Whether a source is a log that no definition describes.
#[must_use]
pub fn is_unknown(source: &Source) -> bool {
    source.is_log
        && !source.has_trait(SourceTrait::Table)
        && source.system.is_none()
        && source.stats.records() > 0
}

/// Saves a draft as a new file in a folder, which is created if it does not exist, and returns the path. Existing files
/// are not changed: the user may have edited them.
///
/// # Errors
/// No log is suitable, or the file cannot be written; a message for the user.
pub fn save(folder: &Path, snapshot: &Snapshot, own: &str) -> Result<PathBuf, String> {
    if !snapshot.sources.iter().any(|s| is_unknown(s)) {
        return Err("definitions know all of these logs: there is nothing to draft".to_owned());
    }
    let _turn = FolderLock::acquire(folder);
    let numbered = (2..=NAMES).map(|n| format!("{own}{n}"));
    let mut all = std::iter::once(own.to_owned()).chain(numbered);
    let free = all.find(|name| !folder.join(format!("{name}.toml")).exists());
    let name = free.ok_or_else(|| format!("{}: has {NAMES} drafts of {own}", folder.display()))?;
    let path = folder.join(format!("{name}.toml"));
    let request = DraftRequest {
        name,
        max_patterns: PATTERNS,
    };
    let drafted = draft(snapshot, &request, &Cancel::default())?;
    let failed = |error: std::io::Error| format!("{}: cannot be written: {error}", path.display());
    fs::create_dir_all(folder).map_err(failed)?;
    atomic_file::write(&path, &drafted.text, FileReaders::Umask).map_err(failed)?;
    Ok(path)
}
