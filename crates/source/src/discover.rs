//! Discovery of the files of a run: walks directories in parallel, reports entries that cannot be logs, and reads no
//! file or folder twice.
//!
//! A file may have several names: symbolic links to it or to a parent folder, hard links, paths given twice. It is read
//! once, under the name that was named by the user, else found in real folders, else through links; so its name does
//! not depend on the order of the threads.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rustix::io::Errno;

use widetui_core::cancel::Cancel;
use widetui_core::diag::{Diagnostic, Severity};
use widetui_core::lock;

use super::file::FileId;
use super::temporary::TEMPORARY;

/// File that may be a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFile {
    /// Path of the file.
    pub path: PathBuf,
    /// Path as the user would write it.
    pub name: String,
    /// Length in bytes at discovery.
    pub bytes: u64,
    /// Modification time, ns since the epoch, UTC.
    pub modified: i64,
    /// Device and inode.
    pub id: FileId,
}

/// Path that is not read: no regular file, or another name of a file that is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Kind of the entry, in a few words.
    pub what: &'static str,
    /// Path, and the reason why it is not read.
    pub problem: Diagnostic,
}

/// Kind of an entry that could not be read.
const UNREADABLE: &str = "unreadable";

/// Modification time, ns since the epoch, UTC.
pub fn modified(meta: &fs::Metadata) -> i64 {
    meta.mtime()
        .saturating_mul(1_000_000_000)
        .saturating_add(meta.mtime_nsec())
}

/// Maximum depth of nested directories.
const DEPTH: usize = 64;

/// Way in which a file was reached, in order of precedence for its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reached {
    /// Named by the user.
    Named,
    /// Found in a folder.
    Walked,
    /// Through this many links to the file or to folders around it.
    Linked(usize),
}

/// Path to examine.
#[derive(Debug)]
struct Entry {
    path: PathBuf,
    depth: usize,
    reached: Reached,
}

/// File under one of its names.
struct Name {
    reached: Reached,
    found: FoundFile,
    /// Whether the file has further hard links.
    has_more: bool,
}

struct Walk<'a> {
    found: Mutex<Vec<Name>>,
    left_out: Mutex<Vec<LeftOut>>,
    /// Device and inode of visited directories.
    seen: Mutex<HashSet<(u64, u64)>>,
    /// Symbolic links found so far, followed after everything else was walked.
    links: Mutex<Vec<Entry>>,
    /// Device and inode of the directories that contain a root.
    around: HashSet<(u64, u64)>,
    /// Whether a device is a generated file system, for the devices met so far.
    generated: Mutex<HashMap<u64, bool>>,
    cancel: &'a Cancel,
}

/// Lists all files below the roots, sorted by name; roots may be files. Skipped entries are listed, sorted by path, and
/// never fatal: the caller decides about nonexistent roots.
pub fn discover(roots: &[PathBuf], cancel: &Cancel) -> (Vec<FoundFile>, Vec<LeftOut>) {
    let roots = outermost(roots);
    let walk = Walk {
        found: Mutex::default(),
        left_out: Mutex::default(),
        seen: Mutex::default(),
        links: Mutex::default(),
        around: around(&roots),
        generated: Mutex::default(),
        cancel,
    };
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
    // Links are followed one after the other, so that of two links to a folder always the same is followed.
    loop {
        let mut links = std::mem::take(&mut *lock::hold(&walk.links));
        links.sort_by(|a, b| a.path.cmp(&b.path));
        if links.is_empty() {
            break;
        }
        for link in links {
            rayon::scope(|scope| walk.follow_link(scope, link));
        }
    }
    let names = std::mem::take(&mut *lock::hold(&walk.found));
    let mut left_out = std::mem::take(&mut *lock::hold(&walk.left_out));
    let found = unique_files(names, &mut left_out);
    left_out.sort_by(|a, b| a.problem.path.cmp(&b.problem.path));
    (found, left_out)
}

/// Device and inode of the directories that contain a root.
fn around(roots: &[&PathBuf]) -> HashSet<(u64, u64)> {
    let places: Vec<PathBuf> = { roots.iter() }
        .filter_map(|root| fs::canonicalize(root).ok())
        .collect();
    let folders = places.iter().flat_map(|place| place.ancestors().skip(1));
    let metas = folders.filter_map(|folder| fs::metadata(folder).ok());
    metas.map(|meta| (meta.dev(), meta.ino())).collect()
}

/// Whether the files of a folder are generated by the operating system as they are read: processes, devices, control groups, traces. Their
/// number and their length have no limit.
fn is_generated(path: &Path) -> bool {
    // Magic numbers of /proc, /sys, cgroup, cgroup2, debugfs, tracefs, securityfs, bpf and devpts, as in linux/magic.h.
    const GENERATED: [u64; 9] = [
        0x9fa0,
        0x6265_6572,
        0x0027_e0eb,
        0x6367_7270,
        0x6462_6720,
        0x7472_6163,
        0x7363_6673,
        0xcafe_4a11,
        0x1cd1,
    ];
    let found = cfg!(target_os = "linux").then(|| rustix::fs::statfs(path).ok());
    let kind = found
        .flatten()
        .and_then(|stat| u64::try_from(stat.f_type).ok());
    kind.is_some_and(|kind| GENERATED.contains(&kind))
}

/// Removes roots that are within other roots or are another path of one.
fn outermost(roots: &[PathBuf]) -> Vec<&PathBuf> {
    let place = |root: &PathBuf| match roots.len() {
        0 | 1 => None,
        _ if root.is_dir() => fs::canonicalize(root).ok(),
        _ => None,
    };
    let mut order: Vec<(Option<PathBuf>, usize, &PathBuf)> = { roots.iter().enumerate() }
        .map(|(at, root)| (place(root), at, root))
        .collect();
    // Sorts folders after their parents; among several paths of one folder, those that end with its own name come
    // first.
    order.sort_by_cached_key(|(place, at, root)| {
        let own = place.as_ref().and_then(|p| p.file_name());
        (place.clone(), root.file_name() != own, *at)
    });
    let mut outer: Option<PathBuf> = None;
    let mut kept: Vec<(usize, &PathBuf)> = Vec::new();
    for (place, at, root) in order {
        let is_inside = matches!((&place, &outer), (Some(p), Some(outer)) if p.starts_with(outer));
        if !is_inside {
            outer = place;
            kept.push((at, root));
        }
    }
    kept.sort_unstable();
    kept.into_iter().map(|(_, root)| root).collect()
}

/// Keeps every file under one name, sorted by name, and reports its other names.
fn unique_files(mut names: Vec<Name>, left_out: &mut Vec<LeftOut>) -> Vec<FoundFile> {
    names.sort_by(|a, b| (a.reached, &a.found.name).cmp(&(b.reached, &b.found.name)));
    let mut known: HashMap<FileId, usize> = HashMap::with_capacity(names.len());
    let mut found: Vec<FoundFile> = Vec::with_capacity(names.len());
    for name in names {
        let first = known.get(&name.found.id).and_then(|at| found.get(*at));
        let Some(first) = first else {
            known.insert(name.found.id, found.len());
            found.push(name.found);
            continue;
        };
        let what = match name.reached {
            Reached::Linked(_) => "a link",
            _ if is_same_path(&first.path, &name.found.path) => continue,
            _ if name.has_more => "a hard link",
            // Some file systems have no unique inode numbers.
            _ => {
                found.push(name.found);
                continue;
            }
        };
        let text = format!("not read: {what} to a file that is read as {}", first.name);
        left_out.push(LeftOut {
            what: "another name of a file",
            problem: Diagnostic::new(Severity::Note, name.found.name, text),
        });
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

fn is_same_path(a: &Path, b: &Path) -> bool {
    a == b || matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}

/// Whether an entry is being written by this program.
fn is_temporary(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    name.as_encoded_bytes().starts_with(TEMPORARY.as_bytes())
}

impl Walk<'_> {
    fn leave_out(
        &self,
        what: &'static str,
        severity: Severity,
        path: &Path,
        why: impl Into<String>,
    ) {
        let problem = Diagnostic::new(severity, path.to_string_lossy(), why);
        lock::hold(&self.left_out).push(LeftOut { what, problem });
    }

    fn first_visit(&self, meta: &fs::Metadata) -> bool {
        lock::hold(&self.seen).insert((meta.dev(), meta.ino()))
    }

    fn is_generated_place(&self, path: &Path, meta: &fs::Metadata) -> bool {
        let mut known = lock::hold(&self.generated);
        let device = known.entry(meta.dev());
        *device.or_insert_with(|| is_generated(path))
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
            Err(error) => self.leave_out(
                UNREADABLE,
                Severity::Error,
                &entry.path,
                format!("cannot be read: {error}"),
            ),
        }
    }

    /// Examines the target of a link.
    fn follow_link<'s>(&'s self, scope: &rayon::Scope<'s>, mut link: Entry) {
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
                let is_loop = Errno::from_io_error(&error) == Some(Errno::LOOP);
                let (what, severity) = match error.kind() {
                    ErrorKind::NotFound => ("link to nothing", Severity::Note),
                    _ if is_loop => ("link to itself", Severity::Note),
                    _ => (UNREADABLE, Severity::Warning),
                };
                let target = fs::read_link(&link.path).unwrap_or_default();
                let why = format!("link to {} not followed: {error}", target.display());
                self.leave_out(what, severity, &link.path, why);
            }
            Err(error) => self.leave_out(
                UNREADABLE,
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
                return self.leave_out(
                    "folder that lies too deep",
                    Severity::Warning,
                    path,
                    format!("not read: more than {DEPTH} folders deep"),
                );
            }
            let is_linked = matches!(entry.reached, Reached::Linked(_));
            if is_linked && self.around.contains(&(meta.dev(), meta.ino())) {
                return self.leave_out(
                    "link out of the run",
                    Severity::Note,
                    path,
                    "not followed: the folder contains the one that is read",
                );
            }
            if entry.depth > 0 && self.is_generated_place(path, meta) {
                return self.leave_out(
                    "generated file system",
                    Severity::Note,
                    path,
                    "not read: a file system that the operating system generates (such as /proc) holds no logs",
                );
            }
            if !self.first_visit(meta) {
                return self.leave_out(
                    "another name of a folder",
                    Severity::Note,
                    path,
                    "not followed: this folder was already read (a link loop?)",
                );
            }
            return self.folder(scope, &entry);
        }
        if !kind.is_file() {
            let (what, why) = if kind.is_fifo() {
                let shown = path.display();
                let how =
                    format!("named pipe (FIFO), not read; for what it gives: widetui - < {shown}");
                ("named pipe", how)
            } else if kind.is_socket() {
                ("socket", "socket, not read".to_owned())
            } else {
                ("device", "device, not read".to_owned())
            };
            return self.leave_out(what, Severity::Note, path, why);
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
                return self.leave_out(
                    UNREADABLE,
                    Severity::Warning,
                    path,
                    format!("folder cannot be read: {error}"),
                );
            }
        };
        for entry in entries {
            match entry {
                Ok(entry) if is_temporary(&entry) => self.leave_out(
                    "being written",
                    Severity::Note,
                    &entry.path(),
                    "not read: being written by widetui, or left by a writer that was killed",
                ),
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
                Err(error) => self.leave_out(
                    UNREADABLE,
                    Severity::Warning,
                    path,
                    format!("an entry cannot be read: {error}"),
                ),
            }
        }
    }
}
