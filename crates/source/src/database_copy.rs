//! Consistent copies of databases in use, without locks and without files next to the database.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::file::{open_regular, read_fully, read_part};
use super::temporary::TemporaryPath;

/// Number of attempts at a consistent copy while a writer is active.
const TRIES: usize = 8;

/// Length of the header of a write-ahead log; a log of this length is empty.
const WAL_HEADER: u64 = 32;

/// State of the files of a database: inode, length and modification time of each, and the first 100 bytes of the
/// database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseState {
    files: Vec<Option<(u64, u64, i64, i64)>>,
    header: Vec<u8>,
}

/// Reads the state of a database file, its write-ahead log and its journal.
///
/// # Errors
/// The database file cannot be read.
pub(crate) fn state(path: &Path) -> io::Result<DatabaseState> {
    let file = open_regular(path)?;
    let mut header = vec![0; 100];
    let n = read_fully(&file, &mut header, 0)?;
    header.truncate(n);
    let seen = |meta: fs::Metadata| (meta.ino(), meta.len(), meta.mtime(), meta.mtime_nsec());
    let files = [
        path.to_owned(),
        beside(path, "-wal"),
        beside(path, "-journal"),
    ];
    Ok(DatabaseState {
        files: files
            .iter()
            .map(|p| fs::metadata(p).ok().map(seen))
            .collect(),
        header,
    })
}

impl DatabaseState {
    /// Whether a write-ahead log or a journal has content.
    pub fn has_more(&self) -> bool {
        let len = |at: usize| self.files.get(at).copied().flatten().map_or(0, |f| f.1);
        len(1) > WAL_HEADER || len(2) > 0
    }

    /// Total length of the database and its accompanying files, bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.files.iter().flatten().map(|f| f.1).sum()
    }
}

/// Path of an accompanying file of a database.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Whether a database changed while it was copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Consistency {
    /// Unchanged: the copy is consistent.
    Consistent,
    /// Changed during each attempt.
    Changed,
}

/// Temporary folder of a copy.
#[derive(Debug)]
pub(crate) struct CopyFolder {
    folder: tempfile::TempDir,
    _registered: TemporaryPath,
}

/// Copy of a database in a temporary folder, which is deleted on drop.
#[derive(Debug)]
pub(crate) struct DatabaseCopy {
    /// Temporary folder.
    pub(crate) folder: CopyFolder,
    /// Path of the copy.
    pub(crate) path: PathBuf,
    /// Whether the database changed during the copy.
    pub(crate) consistency: Consistency,
}

/// Reads the database file into memory.
///
/// # Errors
/// Error of the operating system.
pub(crate) fn read(path: &Path) -> io::Result<(Vec<u8>, Consistency)> {
    let mut bytes = Vec::new();
    for _ in 0..TRIES {
        let before = state(path)?;
        let file = open_regular(path)?;
        bytes.resize(usize::try_from(file.metadata()?.len()).unwrap_or(0), 0);
        let n = read_fully(&file, &mut bytes, 0)?;
        bytes.truncate(n);
        if before == state(path)? && !before.has_more() {
            return Ok((bytes, Consistency::Consistent));
        }
    }
    Ok((bytes, Consistency::Changed))
}

/// Copies the database, its write-ahead log and its journal into a new temporary folder.
///
/// # Errors
/// Error of the operating system.
pub(crate) fn copy(path: &Path) -> io::Result<DatabaseCopy> {
    let folder = tempfile::Builder::new().prefix("widetui-").tempdir()?;
    let folder = CopyFolder {
        _registered: TemporaryPath::new(folder.path()),
        folder,
    };
    let to = folder.folder.path().join("copy.db");
    let mut consistency = Consistency::Changed;
    for _ in 0..TRIES {
        let before = state(path)?;
        for ending in ["", "-wal", "-journal"] {
            let target = beside(&to, ending);
            match open_regular(&beside(path, ending)) {
                Ok(file) => copy_file(&file, &target)?,
                Err(error) if error.kind() == io::ErrorKind::NotFound && !ending.is_empty() => {
                    let _ = fs::remove_file(&target);
                }
                Err(error) => return Err(error),
            }
        }
        if before == state(path)? {
            consistency = Consistency::Consistent;
            break;
        }
    }
    Ok(DatabaseCopy {
        folder,
        path: to,
        consistency,
    })
}

fn copy_file(from: &File, to: &Path) -> io::Result<()> {
    let mut out = File::create(to)?;
    let mut buffer = vec![0; 256 * 1024];
    let mut at = 0;
    loop {
        let part = read_part(from, &mut buffer, at)?;
        if part.is_empty() {
            return Ok(());
        }
        out.write_all(part)?;
        at += part.len() as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_all_files_and_tells_when_they_change() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.db");
        fs::write(&path, b"main").unwrap();
        fs::write(beside(&path, "-wal"), [7; 40]).unwrap();
        let before = state(&path).unwrap();
        assert!(before.has_more());
        let copied = copy(&path).unwrap();
        assert_eq!(copied.consistency, Consistency::Consistent);
        assert_eq!(fs::read(&copied.path).unwrap(), b"main");
        assert_eq!(fs::read(beside(&copied.path, "-wal")).unwrap(), [7; 40]);
        fs::write(&path, b"mane").unwrap();
        assert_ne!(before, state(&path).unwrap());
        fs::write(beside(&path, "-wal"), b"").unwrap();
        assert!(!state(&path).unwrap().has_more());
        assert_eq!(
            read(&path).unwrap(),
            (b"mane".to_vec(), Consistency::Consistent)
        );
    }
}
