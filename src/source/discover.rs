//! Finds the files of a run: walks directories in parallel, reports what cannot be a log, reads no file and no folder twice.
//!
//! A file may have several names: links to it or to a folder around it, hard links, paths that the user gives twice. It is
//! read once. A path that the user names counts first, then real folders, then links; so which name it has does not
//! depend on who comes first.

use std::collections::{HashMap, HashSet};
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
pub struct FoundFile {
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

/// How a file was reached: what comes first gives it its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reached {
    /// The user named it.
    Named,
    /// Through folders.
    Walked,
    /// Through so many links to it, or to a folder around it.
    Linked(usize),
}

/// A path that is looked at.
#[derive(Debug)]
struct Entry {
    path: PathBuf,
    depth: usize,
    reached: Reached,
}

/// What was found under a name.
struct Name {
    reached: Reached,
    found: FoundFile,
    /// The file has further names.
    has_more: bool,
}

struct Walk<'a> {
    found: Mutex<Vec<Name>>,
    problems: Mutex<Vec<Diagnostic>>,
    /// Device and inode of directories that were entered.
    seen: Mutex<HashSet<(u64, u64)>>,
    /// Links that were met. They are followed when what is no link was walked.
    links: Mutex<Vec<Entry>>,
    cancel: &'a Cancel,
}

/// All files below the roots, sorted by name; roots that are files are taken as they are. Problems are listed, never
/// fatal: the caller decides what it means that a root does not exist.
pub fn discover(roots: &[PathBuf], cancel: &Cancel) -> (Vec<FoundFile>, Vec<Diagnostic>) {
    let walk = Walk {
        found: Mutex::default(),
        problems: Mutex::default(),
        seen: Mutex::default(),
        links: Mutex::default(),
        cancel,
    };
    let roots = apart(roots);
    rayon::scope(|scope| {
        for root in roots {
            let walk = &walk;
            let entry = Entry {
                path: root.clone(),
                depth: 0,
                reached: Reached::Named,
            };
            scope.spawn(move |scope| walk.entry(scope, entry));
        }
    });
    // One after the other, so that of two links to a folder always the same one is followed.
    loop {
        let mut links = std::mem::take(&mut *lock::hold(&walk.links));
        links.sort_by(|a, b| a.path.cmp(&b.path));
        if links.is_empty() {
            break;
        }
        for link in links {
            rayon::scope(|scope| walk.target(scope, link));
        }
    }
    let names = std::mem::take(&mut *lock::hold(&walk.found));
    let mut problems = std::mem::take(&mut *lock::hold(&walk.problems));
    let found = once(names, &mut problems);
    problems.sort_by(|a, b| a.path.cmp(&b.path));
    (found, problems)
}

/// The roots without folders that lie in others, or are another path of one: they are walked with those.
fn apart(roots: &[PathBuf]) -> Vec<&PathBuf> {
    let place = |root: &PathBuf| match roots.len() {
        0 | 1 => None,
        _ if root.is_dir() => fs::canonicalize(root).ok(),
        _ => None,
    };
    let mut order: Vec<(Option<PathBuf>, usize)> = roots.iter().map(place).zip(0..).collect();
    // A folder stands behind those that it lies in; of two paths of one folder, first that which ends with its own name.
    order.sort_by_cached_key(|(place, at)| {
        let own = place.as_ref().and_then(|p| p.file_name());
        (place.clone(), roots[*at].file_name() != own, *at)
    });
    let mut outer: Option<PathBuf> = None;
    let mut kept: Vec<usize> = Vec::new();
    for (place, at) in order {
        let is_inside = matches!((&place, &outer), (Some(p), Some(outer)) if p.starts_with(outer));
        if !is_inside {
            outer = place;
            kept.push(at);
        }
    }
    kept.sort_unstable();
    kept.into_iter().map(|at| &roots[at]).collect()
}

/// Every file under one name, sorted by name; what the others are is told.
fn once(mut names: Vec<Name>, problems: &mut Vec<Diagnostic>) -> Vec<FoundFile> {
    names.sort_by(|a, b| (a.reached, &a.found.name).cmp(&(b.reached, &b.found.name)));
    let mut known: HashMap<FileId, usize> = HashMap::with_capacity(names.len());
    let mut found: Vec<FoundFile> = Vec::with_capacity(names.len());
    for name in names {
        let Some(first) = known.get(&name.found.id).map(|at| &found[*at]) else {
            known.insert(name.found.id, found.len());
            found.push(name.found);
            continue;
        };
        let what = match name.reached {
            Reached::Linked(_) => "a link",
            _ if is_same_path(&first.path, &name.found.path) => continue,
            _ if name.has_more => "a hard link",
            // Not every file system has numbers that tell files apart.
            _ => {
                found.push(name.found);
                continue;
            }
        };
        let text = format!("skipped: {what} to a file that is read as {}", first.name);
        problems.push(Diagnostic::new(Severity::Note, name.found.name, text));
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

fn is_same_path(a: &Path, b: &Path) -> bool {
    a == b || matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}

impl Walk<'_> {
    fn problem(&self, severity: Severity, path: &Path, text: impl Into<String>) {
        let problem = Diagnostic::new(severity, path.to_string_lossy(), text);
        lock::hold(&self.problems).push(problem);
    }

    fn first_visit(&self, meta: &fs::Metadata) -> bool {
        lock::hold(&self.seen).insert((meta.dev(), meta.ino()))
    }

    fn entry<'s>(&'s self, scope: &rayon::Scope<'s>, entry: Entry) {
        if self.cancel.is_cancelled() {
            return;
        }
        match fs::symlink_metadata(&entry.path) {
            Ok(meta) if meta.file_type().is_symlink() => {
                lock::hold(&self.links).push(entry);
            }
            Ok(meta) => self.read(scope, entry, &meta),
            Err(error) => self.problem(
                Severity::Error,
                &entry.path,
                format!("cannot be read: {error}"),
            ),
        }
    }

    /// What a link leads to.
    fn target<'s>(&'s self, scope: &rayon::Scope<'s>, mut link: Entry) {
        if self.cancel.is_cancelled() {
            return;
        }
        match fs::metadata(&link.path) {
            Ok(meta) => {
                link.reached = match link.reached {
                    Reached::Linked(links) => Reached::Linked(links + 1),
                    _ => Reached::Linked(1),
                };
                self.read(scope, link, &meta);
            }
            Err(error) if link.depth > 0 => {
                self.problem(Severity::Note, &link.path, format!("link skipped: {error}"));
            }
            Err(error) => self.problem(
                Severity::Error,
                &link.path,
                format!("cannot be read: {error}"),
            ),
        }
    }

    fn read<'s>(&'s self, scope: &rayon::Scope<'s>, entry: Entry, meta: &fs::Metadata) {
        let path = &entry.path;
        let kind = meta.file_type();
        if kind.is_dir() {
            if entry.depth > DEPTH {
                return self.problem(
                    Severity::Warning,
                    path,
                    format!("skipped: more than {DEPTH} folders deep"),
                );
            }
            if !self.first_visit(meta) {
                return self.problem(
                    Severity::Note,
                    path,
                    "skipped: this folder was already read (a link loop?)",
                );
            }
            return self.folder(scope, &entry);
        }
        if !kind.is_file() {
            let what = if kind.is_fifo() {
                "a named pipe"
            } else if kind.is_socket() {
                "a socket"
            } else {
                "a device"
            };
            return self.problem(Severity::Note, path, format!("skipped: {what} is no log"));
        }
        lock::hold(&self.found).push(Name {
            reached: entry.reached,
            has_more: meta.nlink() > 1,
            found: FoundFile {
                name: path.to_string_lossy().into_owned(),
                bytes: meta.len(),
                modified: modified(meta),
                id: (meta.dev(), meta.ino()),
                path: entry.path,
            },
        });
    }

    fn folder<'s>(&'s self, scope: &rayon::Scope<'s>, folder: &Entry) {
        let path = &folder.path;
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
                    let is_folder = entry.file_type().is_ok_and(|t| t.is_dir());
                    let below = Entry {
                        path: entry.path(),
                        depth: folder.depth + 1,
                        reached: folder.reached.max(Reached::Walked),
                    };
                    if is_folder {
                        scope.spawn(move |scope| self.entry(scope, below));
                    } else {
                        self.entry(scope, below);
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
