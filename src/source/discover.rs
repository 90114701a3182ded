//! Finds the files of a run: walks directories in parallel, reports what cannot be a log, follows no link twice.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::base::cancel::Cancel;
use crate::base::diag::{Diagnostic, Severity};
use crate::base::lock;

use super::file::FileId;

/// A file that may be a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where it is.
    pub path: PathBuf,
    /// As the user would name it.
    pub name: String,
    /// Length when it was found.
    pub bytes: u64,
    /// When it was last written, ns since the epoch, UTC.
    pub modified: i64,
    /// Which file it is.
    pub id: FileId,
}

/// When a file was last written, ns since the epoch, UTC.
pub fn modified(meta: &fs::Metadata) -> i64 {
    meta.mtime()
        .saturating_mul(1_000_000_000)
        .saturating_add(meta.mtime_nsec())
}

/// Directories are walked into down to this depth.
const DEPTH: usize = 64;

struct Walk<'a> {
    found: Mutex<Vec<Found>>,
    problems: Mutex<Vec<Diagnostic>>,
    /// Device and inode of directories that were entered, and of files that were reached through links.
    seen: Mutex<HashSet<(u64, u64)>>,
    cancel: &'a Cancel,
}

/// All files below the roots, sorted by name; roots that are files are taken as they are. Problems are listed, never
/// fatal: the caller decides what it means that a root does not exist.
pub fn discover(roots: &[PathBuf], cancel: &Cancel) -> (Vec<Found>, Vec<Diagnostic>) {
    let walk = Walk {
        found: Mutex::default(),
        problems: Mutex::default(),
        seen: Mutex::default(),
        cancel,
    };
    rayon::scope(|scope| {
        for root in roots {
            let walk = &walk;
            scope.spawn(move |scope| walk.entry(scope, root.clone(), 0));
        }
    });
    let mut found = std::mem::take(&mut *lock::hold(&walk.found));
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found.dedup_by(|a, b| a.path == b.path);
    let mut problems = std::mem::take(&mut *lock::hold(&walk.problems));
    problems.sort_by(|a, b| a.path.cmp(&b.path));
    (found, problems)
}

impl Walk<'_> {
    fn problem(&self, severity: Severity, path: &Path, text: impl Into<String>) {
        let problem = Diagnostic::new(severity, path.to_string_lossy(), text);
        lock::hold(&self.problems).push(problem);
    }

    fn first_visit(&self, meta: &fs::Metadata) -> bool {
        lock::hold(&self.seen).insert((meta.dev(), meta.ino()))
    }

    fn entry<'s>(&'s self, scope: &rayon::Scope<'s>, path: PathBuf, depth: usize) {
        if self.cancel.is_cancelled() {
            return;
        }
        let is_link = fs::symlink_metadata(&path).is_ok_and(|m| m.file_type().is_symlink());
        let meta = match fs::metadata(&path) {
            Ok(meta) => meta,
            Err(error) if is_link && depth > 0 => {
                return self.problem(Severity::Note, &path, format!("link skipped: {error}"));
            }
            Err(error) => {
                return self.problem(Severity::Error, &path, format!("cannot be read: {error}"));
            }
        };
        let kind = meta.file_type();
        if kind.is_dir() {
            if depth > DEPTH {
                return self.problem(
                    Severity::Warning,
                    &path,
                    format!("skipped: more than {DEPTH} folders deep"),
                );
            }
            if !self.first_visit(&meta) {
                return self.problem(
                    Severity::Note,
                    &path,
                    "skipped: this folder was already read (a link loop?)",
                );
            }
            return self.folder(scope, &path, depth);
        }
        if !kind.is_file() {
            let what = if kind.is_fifo() {
                "a named pipe"
            } else if kind.is_socket() {
                "a socket"
            } else {
                "a device"
            };
            return self.problem(Severity::Note, &path, format!("skipped: {what} is no log"));
        }
        if is_link && !self.first_visit(&meta) {
            return self.problem(
                Severity::Note,
                &path,
                "skipped: another link to the same file was read",
            );
        }
        lock::hold(&self.found).push(Found {
            name: path.to_string_lossy().into_owned(),
            path,
            bytes: meta.len(),
            modified: modified(&meta),
            id: (meta.dev(), meta.ino()),
        });
    }

    fn folder<'s>(&'s self, scope: &rayon::Scope<'s>, path: &Path, depth: usize) {
        let entries = match fs::read_dir(path) {
            Ok(entries) => entries,
            Err(error) => {
                return self.problem(
                    Severity::Warning,
                    path,
                    format!("folder cannot be read: {error}"),
                );
            }
        };
        for entry in entries {
            match entry {
                Ok(entry) => {
                    let below = entry.path();
                    let folder = entry.file_type().is_ok_and(|t| t.is_dir());
                    if folder {
                        scope.spawn(move |scope| self.entry(scope, below, depth + 1));
                    } else {
                        self.entry(scope, below, depth + 1);
                    }
                }
                Err(error) => self.problem(
                    Severity::Warning,
                    path,
                    format!("an entry cannot be read: {error}"),
                ),
            }
        }
    }
}
