//! Files that a command was told to write: they may replace older ones, but nothing of the run.

use std::fs;
use std::io::{self, BufWriter};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use widetui_source::atomic_file::{AtomicFile, FileReaders, target};
use widetui_source::file::FileId;
use widetui_store::Snapshot;

use super::files::refused;

/// What is being written; it replaces nothing before [`keep`].
pub type ExportFile = BufWriter<AtomicFile>;

/// Whether a file may be written while these paths are open: not into folders among them, and not one of them itself.
///
/// # Errors
/// It may not, or there is no such folder; in words for the user.
pub fn check(path: &Path, opened: &[PathBuf]) -> Result<(), String> {
    let Some(target) = target(path).map_err(|e| cannot(path, &e))? else {
        return Ok(());
    };
    if let Some(reason) = refused(target.parent().unwrap_or(Path::new("/")), opened) {
        return Err(reason);
    }
    let taken = id(&target);
    match opened.iter().find(|p| taken.is_some() && id(p) == taken) {
        Some(opened) => Err(is_read(path, &opened.display().to_string())),
        None => Ok(()),
    }
}

/// Begins to write a file, after [`check`], when it is none that the run was read from, whatever it is called there.
///
/// # Errors
/// It is one of those, or cannot be written; in words for the user.
pub fn create(path: &Path, snapshot: &Snapshot) -> Result<ExportFile, String> {
    // A file that is new cannot be one of the run.
    if let Some(taken) = target(path).ok().flatten().and_then(|target| id(&target)) {
        let mut sources = snapshot.sources.iter();
        if let Some(source) = sources.find(|s| file_of(&s.path) == Some(taken)) {
            return Err(is_read(path, &source.path));
        }
    }
    let file = AtomicFile::create(path, FileReaders::Umask).map_err(|e| cannot(path, &e))?;
    Ok(BufWriter::new(file))
}

/// Puts what was written in its place.
///
/// # Errors
/// In words for the user; what stood there is there still.
pub fn keep(path: &Path, out: ExportFile) -> Result<(), String> {
    let file = out.into_inner().map_err(|e| cannot(path, e.error()))?;
    file.commit().map_err(|e| cannot(path, &e))
}

/// The file that a source is read from: for the member of an archive that is the archive.
fn file_of(path: &str) -> Option<FileId> {
    Path::new(path).ancestors().find_map(id)
}

/// Which file stands there, if one does.
fn id(path: &Path) -> Option<FileId> {
    let meta = fs::metadata(path).ok()?;
    meta.is_file().then(|| (meta.dev(), meta.ino()))
}

fn is_read(path: &Path, source: &str) -> String {
    format!(
        "{}: it is one of the logs that are open ({source}), nothing was written: choose another file",
        path.display()
    )
}

fn cannot(path: &Path, error: &io::Error) -> String {
    format!("{}: cannot be written: {error}", path.display())
}
