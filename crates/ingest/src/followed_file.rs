//! Followed file: its reading position, and the changes to it.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use widetui_core::ids::SourceId;
use widetui_source::discover::FoundFile;
use widetui_source::file::modified;
use widetui_source::file::{FileId, FileText, file_id, open_regular, read_fully};

use crate::container::Container;

/// Number of bytes before the reading position that are compared at the next read, to detect a file that was truncated
/// and has grown again.
const CHECK: usize = 64;
/// Silence after which a file with a short sample is detected again.
const QUIET: Duration = Duration::from_secs(2);
/// Time since the last growth within which a file is checked at each poll.
const LIVELY: Duration = Duration::from_secs(10);

/// Followed file with its path, reader and reading position.
#[derive(Debug)]
pub(crate) struct Watched {
    pub(crate) id: SourceId,
    /// Path by which definitions match the source.
    pub(crate) name: String,
    /// State of reading it, if its lines are not its records.
    pub(crate) container: Option<Container>,
    pub(crate) path: PathBuf,
    pub(crate) file: FileId,
    pub(crate) text: Arc<FileText>,
    /// Open file, which is read to its end also after its path is gone; `None` for files that have been idle for long.
    open: Option<Arc<File>>,
    /// Whether the file was deleted, and only the open file is left.
    pub(crate) is_deleted: bool,
    /// Length at the last check.
    pub(crate) len: u64,
    /// Modification time at the last check, ns; 0 forces a read.
    pub(crate) modified: i64,
    /// Bytes before `len`, at most `CHECK`.
    check: Vec<u8>,
    /// Time of the last growth.
    pub(crate) grew: Option<Instant>,
    /// Whether an access error was reported.
    pub(crate) is_unreadable: bool,
    /// Whether the file is not followed any more.
    pub(crate) is_ended: bool,
}

/// State of a file compared to the last check.
#[derive(Debug)]
pub(crate) enum FileState {
    Same,
    Grew {
        len: u64,
        modified: i64,
    },
    /// Truncated, or with other bytes before the reading position.
    Truncated,
    /// Path occupied by another file.
    Replaced(Replacement),
    Missing,
    Unreadable(io::Error),
}

/// File at the path of a followed one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Replacement {
    /// Regular file.
    File(FileId),
    /// Another kind of file, by its name.
    Special(&'static str),
}

impl Watched {
    pub(crate) fn new(id: SourceId, path: PathBuf, file: FileId, text: Arc<FileText>) -> Watched {
        text.set_location(&path, file);
        Watched {
            id,
            name: path.to_string_lossy().into_owned(),
            container: None,
            path,
            file,
            text,
            open: None,
            is_deleted: false,
            len: 0,
            modified: 0,
            check: Vec::new(),
            grew: None,
            is_unreadable: false,
            is_ended: false,
        }
    }

    /// Marks the file as read by the loader up to byte `to`.
    pub(crate) fn read_before(&mut self, to: u64, found: &FoundFile) {
        self.len = to;
        if to == found.bytes {
            self.modified = found.modified;
        }
    }

    /// True if it is read again as a whole, so that any of its bytes may change.
    pub(crate) fn is_read_whole(&self) -> bool {
        self.container.as_ref().is_some_and(|c| !c.is_framed())
    }

    pub(crate) fn is_lively(&self, now: Instant) -> bool {
        self.grew.is_some_and(|t| now.duration_since(t) < LIVELY)
    }

    /// Whether the file grew, and then was silent for some time.
    pub(crate) fn is_quiet(&self, now: Instant) -> bool {
        self.grew.is_some_and(|t| now.duration_since(t) >= QUIET)
    }

    /// Checks the size and modification time of the file, then its path.
    pub(crate) fn state(&self) -> FileState {
        let meta = self.open.as_ref().and_then(|open| open.metadata().ok());
        match meta.map(|meta| self.change(&meta)) {
            None => self.state_at_path(),
            Some(FileState::Same) if !self.is_deleted => self.state_at_path(),
            Some(state) => state,
        }
    }

    /// Checks which file is at the path, and its size and modification time.
    pub(crate) fn state_at_path(&self) -> FileState {
        let meta = match fs::metadata(&self.path) {
            Ok(meta) => meta,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return FileState::Unreadable(error);
            }
            Err(_) => return FileState::Missing,
        };
        let kind = meta.file_type();
        if !kind.is_file() {
            return FileState::Replaced(Replacement::Special(match () {
                () if kind.is_fifo() => "a named pipe",
                () if kind.is_dir() => "a folder",
                () => "a device",
            }));
        }
        let id = (meta.dev(), meta.ino());
        match id == self.file {
            true => self.change(&meta),
            false => FileState::Replaced(Replacement::File(id)),
        }
    }

    /// Change of the file since the last check.
    fn change(&self, meta: &Metadata) -> FileState {
        let (len, modified) = (meta.len(), modified(meta));
        if len < self.len && !self.is_read_whole() {
            FileState::Truncated
        } else if len != self.len || modified != self.modified {
            FileState::Grew { len, modified }
        } else {
            FileState::Same
        }
    }

    /// Whether the file is still at its path.
    pub(crate) fn is_in_place(&self) -> bool {
        matches!(
            self.state_at_path(),
            FileState::Same | FileState::Grew { .. } | FileState::Truncated
        )
    }

    /// Whether the open file is shorter than what was read of it.
    pub(crate) fn is_truncated(&self) -> bool {
        let meta = self.open.as_ref().and_then(|open| open.metadata().ok());
        meta.is_some_and(|meta| meta.len() < self.len)
    }

    /// Open file; `None` if another file is at its path. The file stays open until [`close`](Self::close).
    pub(crate) fn opened(&mut self) -> io::Result<Option<Arc<File>>> {
        if let Some(open) = &self.open {
            return Ok(Some(open.clone()));
        }
        let file = Arc::new(open_regular(&self.path)?);
        if file_id(&file)? != self.file {
            return Ok(None);
        }
        self.text.set_open(file.clone());
        self.open = Some(file.clone());
        Ok(Some(file))
    }

    /// Opens a file that the loader read, and notes its last bytes.
    pub(crate) fn open_as_loaded(&mut self) -> io::Result<()> {
        if let Some(file) = self.opened()? {
            self.note_check(&file, self.len)?;
        }
        Ok(())
    }

    /// Whether the file is kept open.
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Closes the file, which is opened again at its path when it is read.
    pub(crate) fn close(&mut self) {
        if self.open.take().is_some() {
            self.text.set_location(&self.path, self.file);
        }
    }

    /// Continues with the file at another path: the same file, or a copy of it.
    pub(crate) fn move_to(&mut self, path: &Path, file: FileId) {
        if file != self.file {
            self.open = None;
        }
        (self.path, self.file) = (path.to_owned(), file);
        if self.open.is_none() {
            self.text.set_location(path, file);
        }
    }

    /// Whether the file at another path has the bytes that were read: inodes of deleted files are reused.
    pub(crate) fn goes_on_at(&self, path: &Path) -> bool {
        let Ok(file) = open_regular(path) else {
            return false;
        };
        file.metadata().is_ok_and(|m| m.len() >= self.len) && self.is_same(&file).unwrap_or(false)
    }

    /// Whether the file at another path is a copy of this one, made before this one is truncated.
    pub(crate) fn is_copied_at(&self, path: &Path) -> bool {
        !self.check.is_empty() && self.goes_on_at(path)
    }

    /// Whether the bytes before the last known end are unchanged.
    pub(crate) fn is_same(&self, file: &File) -> io::Result<bool> {
        let mut bytes = vec![0; self.check.len()];
        let n = read_fully(file, &mut bytes, self.len - self.check.len() as u64)?;
        Ok(n == bytes.len() && bytes == self.check)
    }

    /// Ends following of the file.
    pub(crate) fn end(&mut self) {
        self.is_ended = true;
        self.close();
    }

    /// Notes that the first `len` bytes were read.
    pub(crate) fn note_end(&mut self, file: &File, len: u64, modified: i64) -> io::Result<()> {
        self.len = self.note_check(file, len)?;
        self.modified = modified;
        self.text.set_len(self.len);
        Ok(())
    }

    /// Stores the last bytes of the first `len`, by which the file is recognised; returns the length found.
    fn note_check(&mut self, file: &File, len: u64) -> io::Result<u64> {
        let from = len.saturating_sub(CHECK as u64);
        let mut bytes = vec![0; (len - from) as usize];
        let n = read_fully(file, &mut bytes, from)?;
        bytes.truncate(n);
        self.check = bytes;
        Ok(from + n as u64)
    }
}
