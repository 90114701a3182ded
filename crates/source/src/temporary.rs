//! Names of temporary files and folders, and their removal however the process ends: by their owners' drop, by
//! [`remove_all`] at a signal or at the end of the process, or by a later writer after a kill.

use std::collections::BTreeSet;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use widetui_core::lock;

use super::file::modified;

/// Start of the names of files and folders that are being written.
pub const TEMPORARY: &str = ".widetui-";

/// Age from which a temporary file or folder is removed, ns: no export takes a day to write.
const LEFTOVER: i64 = 24 * 3_600 * 1_000_000_000;

/// Paths that are removed at the end of the process.
static REGISTERED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Registration of a temporary path; dropped after the owner of the path, who removes or renames it.
#[derive(Debug)]
pub struct TemporaryPath(PathBuf);

impl TemporaryPath {
    /// Registers a file or a folder.
    pub(crate) fn new(path: &Path) -> TemporaryPath {
        lock::hold(&REGISTERED).insert(path.to_owned());
        TemporaryPath(path.to_owned())
    }
}

impl Drop for TemporaryPath {
    fn drop(&mut self) {
        lock::hold(&REGISTERED).remove(&self.0);
    }
}

/// Removes all temporary files and folders of the process, which is about to end. Errors are ignored.
pub fn remove_all() {
    for path in lock::hold(&REGISTERED).iter() {
        remove(path);
    }
}

fn remove(path: &Path) {
    let _ = match path.is_dir() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    };
}

/// Removes temporary files and folders in `folder` of writers that were killed, as seen from a file that was created now: ages
/// are differences of times of the file server, as clocks of machines differ. Errors are ignored: another writer may
/// remove the same.
pub(crate) fn remove_leftovers(folder: &Path, created: &Metadata) {
    let now = modified(created);
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let is_temporary = name.as_encoded_bytes().starts_with(TEMPORARY.as_bytes());
        if is_temporary && now.saturating_sub(last_written(&entry.path())) > LEFTOVER {
            remove(&entry.path());
        }
    }
}

/// Latest change of a file, or of a folder and its contents, ns since the epoch; the latest time if it cannot be read.
fn last_written(path: &Path) -> i64 {
    let Ok(meta) = fs::symlink_metadata(path) else {
        return i64::MAX;
    };
    let entries = match meta.is_dir() {
        true => fs::read_dir(path).ok(),
        false => None,
    };
    let inner = entries.into_iter().flatten().flatten();
    let inner = inner.map(|entry| last_written(&entry.path()));
    inner.fold(modified(&meta), i64::max)
}
