//! Lock of a folder's files between processes, for changes that depend on what the files hold.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

/// Name of the file that is locked; empty, and never removed, as another process may wait for it.
const FILE: &str = ".lock";
/// Number of attempts, and the pause between them: 3 s together.
const TRIES: usize = 300;
const PAUSE: Duration = Duration::from_millis(10);

/// Turn of this process to change files of a folder; ends on drop, and with the process.
#[derive(Debug)]
#[must_use]
pub enum FolderLock {
    /// No other process has a turn.
    Held(File),
    /// The file system has no locks or the folder is read-only, or another process, which may be stopped, does not end its
    /// turn: others may write at the same time.
    Unavailable,
}

impl FolderLock {
    /// Waits for a turn. The folder is created if it is missing.
    pub fn acquire(folder: &Path) -> FolderLock {
        // A failure is that of the file, too.
        let _ = fs::create_dir_all(folder);
        let mut options = OpenOptions::new();
        let path = folder.join(FILE);
        let Ok(file) = options.append(true).create(true).mode(0o600).open(path) else {
            return FolderLock::Unavailable;
        };
        for _ in 0..TRIES {
            match file.try_lock() {
                Ok(()) => return FolderLock::Held(file),
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
                Err(TryLockError::Error(_)) => return FolderLock::Unavailable,
            }
        }
        FolderLock::Unavailable
    }

    /// Whether no other process has a turn.
    #[must_use]
    pub fn is_held(&self) -> bool {
        matches!(self, FolderLock::Held(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_a_turn_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("deep/state");
        let first = FolderLock::acquire(&folder);
        assert!(first.is_held());
        let waiting = std::thread::spawn({
            let folder = folder.clone();
            move || FolderLock::acquire(&folder).is_held()
        });
        std::thread::sleep(PAUSE * 5);
        assert!(!waiting.is_finished());
        drop(first);
        assert!(waiting.join().unwrap());
        // Where the lock cannot be made.
        std::fs::remove_file(folder.join(FILE)).unwrap();
        std::fs::create_dir(folder.join(FILE)).unwrap();
        assert!(!FolderLock::acquire(&folder).is_held());
    }
}
