//! Output files of commands, which may replace older files but no file of the run.

use std::fs;
use std::io::{self, BufWriter};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use widetui_source::atomic_file::{AtomicFile, FileReaders, target};
use widetui_source::file::FileId;
use widetui_store::Snapshot;

use super::files::refused;

/// An output file under construction; it replaces nothing before [`keep`].
pub type ExportFile = BufWriter<AtomicFile>;

/// True for the path `-`: standard output.
pub fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Checks that a file may be written while these paths are open: it is not in a folder among them and is none of them.
///
/// # Errors
/// A message for the user: the file may not be written, or its folder does not exist.
pub fn check(path: &Path, opened: &[PathBuf]) -> Result<(), String> {
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

/// Creates an output file, after [`check`]; with a snapshot also after [`check_sources`].
///
/// # Errors
/// A message for the user: it is a file of the run, or cannot be written.
pub fn create(path: &Path, snapshot: Option<&Snapshot>) -> Result<ExportFile, String> {
    if is_stdout(path) {
        let file = io::stdout().as_fd().try_clone_to_owned();
        let file = file.map_err(|e| cannot(path, &e))?;
        return Ok(BufWriter::new(AtomicFile::Direct(file.into())));
    }
    if let Some(snapshot) = snapshot {
        check_sources(path, snapshot)?;
    }
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

fn cannot(path: &Path, error: &io::Error) -> String {
    format!("{}: cannot be written: {error}", path.display())
}
