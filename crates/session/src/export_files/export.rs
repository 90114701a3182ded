//! Output files of commands, which replace older files only if they are asked to, and never a file of the run.

use std::fs;
use std::io::{self, BufWriter};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use widetui_source::atomic_file::{AtomicFile, FileReaders, target};
use widetui_source::file::FileId;
use widetui_store::Snapshot;

use super::files::refused;

/// An output file under construction; it replaces nothing before [`keep`].
pub type ExportFile = BufWriter<AtomicFile>;

/// Treatment of a file that is at the path of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OlderFile {
    /// It stays, unless it is empty.
    Kept,
    /// It is replaced.
    Replaced,
}

impl OlderFile {
    /// Treatment with or without `--force`.
    pub fn with_force(force: bool) -> OlderFile {
        match force {
            true => OlderFile::Replaced,
            false => OlderFile::Kept,
        }
    }
}

/// True for the path `-`: standard output.
pub fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Checks that a file may be written while these paths are open: it is not in a folder among them, is none of them, and is
/// no older file that stays.
///
/// # Errors
/// A message for the user: the file may not be written, or its folder does not exist.
pub fn check(path: &Path, older: OlderFile, opened: &[PathBuf]) -> Result<(), String> {
    if is_stdout(path) {
        return Ok(());
    }
    let Some(target) = target(path).map_err(|e| cannot(path, &e))? else {
        return Ok(());
    };
    if let Some(reason) = refused(target.parent().unwrap_or(Path::new("/")), opened) {
        return Err(reason);
    }
    let taken = id(&target);
    match opened.iter().find(|p| taken.is_some() && id(p) == taken) {
        Some(opened) => Err(is_read(path, &opened.display().to_string())),
        // Programs that make a name for an output make an empty file of it.
        None if older == OlderFile::Kept && fs::metadata(&target).is_ok_and(|m| m.len() > 0) => {
            Err(format!(
                "{}: the file exists: choose another one, or replace it with --force",
                path.display()
            ))
        }
        None => Ok(()),
    }
}

/// Checks that a file is no file of the run under any name.
///
/// # Errors
/// A message for the user: it is one.
pub fn check_sources(path: &Path, snapshot: &Snapshot) -> Result<(), String> {
    // A new file cannot be one of the run.
    let Some(taken) = target(path).ok().flatten().and_then(|target| id(&target)) else {
        return Ok(());
    };
    let mut sources = snapshot.sources.iter();
    match sources.find(|s| file_of(&s.path) == Some(taken)) {
        Some(source) => Err(is_read(path, &source.path)),
        None => Ok(()),
    }
}

/// Creates an output file, after [`check`].
///
/// # Errors
/// A message for the user: it cannot be written.
pub fn create(path: &Path) -> Result<ExportFile, String> {
    let file = AtomicFile::create(path, FileReaders::Umask).map_err(|e| cannot(path, &e))?;
    Ok(BufWriter::new(file))
}

/// Moves a finished file to its path.
///
/// # Errors
/// A message for the user; the previous file is unchanged.
pub fn keep(path: &Path, out: ExportFile) -> Result<(), String> {
    let file = out.into_inner().map_err(|e| cannot(path, e.error()))?;
    file.commit().map_err(|e| cannot(path, &e))
}

/// Returns the file that a source is read from; for the member of an archive, the archive.
fn file_of(path: &str) -> Option<FileId> {
    Path::new(path).ancestors().find_map(id)
}

/// Returns the id of the file at a path, if there is one.
fn id(path: &Path) -> Option<FileId> {
    let meta = fs::metadata(path).ok()?;
    meta.is_file().then(|| (meta.dev(), meta.ino()))
}

fn is_read(path: &Path, source: &str) -> String {
    format!(
        "{}: is one of the opened logs ({source}); nothing was written, choose another file",
        path.display()
    )
}

/// Message about a file that cannot be written.
pub fn cannot(path: &Path, error: &io::Error) -> String {
    format!("{}: cannot be written: {error}", path.display())
}
