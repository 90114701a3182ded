//! Followed file: its reading position, and the changes to it.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::detector::Log;
use widetui_core::ids::SourceId;
use widetui_source::discover::{FoundFile, modified};
use widetui_source::file::{FileId, FileText, OpenText, open_regular, read_fully};

use super::derived_sources::Derived;
use super::growing::Growing;

/// Number of bytes before the reading position that are compared at the next read, to detect a file that was truncated
/// and has grown again.
const CHECK: usize = 64;
/// Silence after which a file with a short sample is detected again.
const QUIET: Duration = Duration::from_secs(2);
/// Time since the last growth within which a file is checked at each poll.
const LIVELY: Duration = Duration::from_secs(10);

/// Followed file with its path, reader and reading position.
#[derive(Debug)]
pub(super) struct Watched {
    /// Lines of the file itself.
    pub(crate) lines: Growing,
    /// Derived sources, if the lines of the file are not its records.
    pub(crate) derived: Option<Derived>,
    pub(crate) path: PathBuf,
    pub(crate) file: FileId,
    pub(crate) text: Arc<FileText>,
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
pub(super) enum FileState {
    Same,
    Grew {
        len: u64,
        modified: i64,
    },
    /// Truncated, or with other bytes before the reading position.
    Truncated,
    /// Path occupied by another file, or by another kind of file, named here.
    Replaced(Option<&'static str>),
    Missing,
    Unreadable(io::Error),
}

impl Watched {
    pub(crate) fn new(id: SourceId, path: PathBuf, file: FileId, text: Arc<FileText>) -> Watched {
        text.set_location(&path, file);
        Watched {
            lines: Growing::new(id, path.to_string_lossy().into_owned()),
            derived: None,
            path,
            file,
            text,
            len: 0,
            modified: 0,
            check: Vec::new(),
            grew: None,
            is_unreadable: false,
            is_ended: false,
        }
    }

    /// Marks the file as read by the loader up to byte `to`.
    pub(crate) fn read_before(
        mut self,
        log: Log,
        to: u64,
        found: &FoundFile,
        has_records: bool,
    ) -> Watched {
        self.lines.sampled = found.bytes;
        self.lines.log = Some(log);
        self.lines.read_from(to);
        self.len = to;
        if to == found.bytes {
            self.modified = found.modified;
        }
        self.lines.has_records = has_records;
        self.lines.seq = (to / crate::chunk::CHUNK) as u32 + 2;
        self
    }

    /// Marks the file as examined, without lines to follow.
    pub(crate) fn examined(mut self, found: &FoundFile) -> Watched {
        (self.len, self.modified) = (found.bytes, found.modified);
        self
    }

    /// Marks the file as a database of which the tables were read.
    pub(crate) fn of_tables(mut self) -> Watched {
        self.derived = Some(Derived::Tables(Box::default()));
        self
    }

    pub(crate) fn is_lively(&self, now: Instant) -> bool {
        self.grew.is_some_and(|t| now.duration_since(t) < LIVELY)
    }

    /// Whether the file grew, and then was silent for some time.
    pub(crate) fn is_quiet(&self, now: Instant) -> bool {
        self.grew.is_some_and(|t| now.duration_since(t) >= QUIET)
    }

    /// Checks the size and modification time of the file.
    pub(crate) fn state(&self) -> FileState {
        let meta = match fs::metadata(&self.path) {
            Ok(meta) => meta,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return FileState::Unreadable(error);
            }
            Err(_) => return FileState::Missing,
        };
        let kind = meta.file_type();
        if !kind.is_file() {
            return FileState::Replaced(Some(match () {
                () if kind.is_fifo() => "a named pipe",
                () if kind.is_dir() => "a folder",
                () => "a device",
            }));
        }
        if (meta.dev(), meta.ino()) != self.file {
            return FileState::Replaced(None);
        }
        let (len, modified) = (meta.len(), modified(&meta));
        if len < self.len {
            FileState::Truncated
        } else if len > self.len || modified != self.modified {
            FileState::Grew { len, modified }
        } else {
            FileState::Same
        }
    }

    /// Whether the file is still at its path.
    pub(crate) fn is_in_place(&self) -> bool {
        matches!(
            self.state(),
            FileState::Same | FileState::Grew { .. } | FileState::Truncated
        )
    }

    /// Whether the file at another path with the same inode has the bytes that were read: inodes of deleted files are
    /// reused.
    pub(crate) fn goes_on_at(&self, path: &Path) -> bool {
        let Ok(file) = open_regular(path) else {
            return false;
        };
        file.metadata().is_ok_and(|m| m.len() >= self.len) && self.is_same(&file).unwrap_or(false)
    }

    /// Whether the bytes before the last known end are unchanged.
    pub(crate) fn is_same(&self, file: &File) -> io::Result<bool> {
        let mut bytes = vec![0; self.check.len()];
        let n = read_fully(file, &mut bytes, self.len - self.check.len() as u64)?;
        Ok(n == bytes.len() && bytes == self.check)
    }

    /// Whether the follower has not read anything of the file yet.
    pub(crate) fn is_as_opened(&self) -> bool {
        self.len == self.lines.read_to && self.check.is_empty()
    }

    /// Texts of which the lines are read, with their unfinished ends.
    pub(crate) fn unfinished(&self) -> impl Iterator<Item = &Growing> {
        let own = self.derived.is_none().then_some(&self.lines);
        own.into_iter()
            .chain(self.derived.iter().flat_map(Derived::unfinished))
    }

    /// Ends following of the file.
    pub(crate) fn end(&mut self) {
        self.is_ended = true;
        self.lines.rest.clear();
        if let Some(made) = &mut self.derived {
            made.parts_mut().for_each(|part| part.rest.clear());
        }
    }

    /// Stores the unfinished end of a file of `len` bytes after all whole lines were read.
    pub(crate) fn note_end(&mut self, file: &File, len: u64, modified: i64) -> io::Result<()> {
        let from = len.saturating_sub(CHECK as u64);
        let mut bytes = vec![0; (len - from) as usize];
        let n = read_fully(file, &mut bytes, from)?;
        bytes.truncate(n);
        self.len = from + bytes.len() as u64;
        self.check = bytes;
        self.modified = modified;
        self.lines
            .note_rest(&OpenText::new(file, self.len), self.len)?;
        self.text.set_len(self.len);
        Ok(())
    }
}
