//! One file that is followed: how far it was read, and what happened to it since.

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

use super::derived_sources::Made;
use super::growing::Growing;

/// Bytes before the end of what was read that are compared at the next reading: a file that was cut and has grown
/// again is told by them.
const CHECK: usize = 64;
/// A file whose start was looked at while it was short is looked at again when it was quiet for so long.
const QUIET: Duration = Duration::from_secs(2);
/// A file that grew within this time is asked at each poll.
const LIVELY: Duration = Duration::from_secs(10);

/// A followed file: where it lies, its reader, and the byte up to which it was read.
#[derive(Debug)]
pub(super) struct Watched {
    /// Its own lines.
    pub(crate) lines: Growing,
    /// What is made of it, where its lines are not its records.
    pub(crate) made: Option<Made>,
    pub(crate) path: PathBuf,
    pub(crate) file: FileId,
    pub(crate) text: Arc<FileText>,
    /// Its length when it was asked last.
    pub(crate) len: u64,
    /// When it was written last, ns.
    pub(crate) modified: i64,
    /// The last bytes before `len`.
    check: Vec<u8>,
    /// When it grew last.
    pub(crate) grew: Option<Instant>,
    /// Whether somebody was told that it cannot be read.
    pub(crate) is_locked: bool,
    /// Nothing is expected of it any more.
    pub(crate) is_over: bool,
}

/// What became of a file.
#[derive(Debug)]
pub(super) enum Look {
    Same,
    Grew {
        len: u64,
        modified: i64,
    },
    /// It is shorter than it was, or has other bytes where it was read.
    Cut,
    /// Another file, or something else, stands in its place.
    Replaced(Option<&'static str>),
    Missing,
    Locked(io::Error),
}

impl Watched {
    pub(crate) fn new(id: SourceId, path: PathBuf, file: FileId, text: Arc<FileText>) -> Watched {
        text.moved(&path, file);
        Watched {
            lines: Growing::new(id, path.to_string_lossy().into_owned()),
            made: None,
            path,
            file,
            text,
            len: 0,
            modified: 0,
            check: Vec::new(),
            grew: None,
            is_locked: false,
            is_over: false,
        }
    }

    /// It was read before, to the byte `to`.
    pub(crate) fn read_before(
        mut self,
        log: Log,
        to: u64,
        found: &FoundFile,
        has_records: bool,
    ) -> Watched {
        self.lines.looked = found.bytes;
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

    /// It was looked at before, and has no lines that are followed.
    pub(crate) fn looked_at(mut self, found: &FoundFile) -> Watched {
        (self.len, self.modified) = (found.bytes, found.modified);
        self
    }

    /// It is a database, whose tables were read.
    pub(crate) fn of_tables(mut self) -> Watched {
        self.made = Some(Made::Tables(Box::default()));
        self
    }

    pub(crate) fn is_lively(&self, now: Instant) -> bool {
        self.grew.is_some_and(|t| now.duration_since(t) < LIVELY)
    }

    /// Whether it grew, and then no more for some time.
    pub(crate) fn is_quiet(&self, now: Instant) -> bool {
        self.grew.is_some_and(|t| now.duration_since(t) >= QUIET)
    }

    /// Asks for its size.
    pub(crate) fn look(&self) -> Look {
        let meta = match fs::metadata(&self.path) {
            Ok(meta) => meta,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return Look::Locked(error);
            }
            Err(_) => return Look::Missing,
        };
        let kind = meta.file_type();
        if !kind.is_file() {
            return Look::Replaced(Some(match () {
                () if kind.is_fifo() => "a named pipe",
                () if kind.is_dir() => "a folder",
                () => "a device",
            }));
        }
        if (meta.dev(), meta.ino()) != self.file {
            return Look::Replaced(None);
        }
        let (len, modified) = (meta.len(), modified(&meta));
        if len < self.len {
            Look::Cut
        } else if len > self.len || modified != self.modified {
            Look::Grew { len, modified }
        } else {
            Look::Same
        }
    }

    /// Whether it stands where it stood.
    pub(crate) fn is_in_place(&self) -> bool {
        matches!(self.look(), Look::Same | Look::Grew { .. } | Look::Cut)
    }

    /// Whether the file at another path, which has the number of this one, has what was read of it: numbers of files that
    /// were deleted are given to new ones.
    pub(crate) fn goes_on_at(&self, path: &Path) -> bool {
        let Ok(file) = open_regular(path) else {
            return false;
        };
        file.metadata().is_ok_and(|m| m.len() >= self.len) && self.is_same(&file).unwrap_or(false)
    }

    /// Whether the bytes before the end of what was known are still there.
    pub(crate) fn is_same(&self, file: &File) -> io::Result<bool> {
        let mut bytes = vec![0; self.check.len()];
        let n = read_fully(file, &mut bytes, self.len - self.check.len() as u64)?;
        Ok(n == bytes.len() && bytes == self.check)
    }

    /// Whether nothing of it was read since it was opened.
    pub(crate) fn is_as_opened(&self) -> bool {
        self.len == self.lines.read_to && self.check.is_empty()
    }

    /// The texts whose lines are read, as far as they have unfinished ends.
    pub(crate) fn unfinished(&self) -> impl Iterator<Item = &Growing> {
        let own = self.made.is_none().then_some(&self.lines);
        own.into_iter()
            .chain(self.made.iter().flat_map(Made::unfinished))
    }

    /// Nothing of it is to be expected any more.
    pub(crate) fn end(&mut self) {
        self.is_over = true;
        self.lines.rest.clear();
        if let Some(made) = &mut self.made {
            made.parts_mut().for_each(|part| part.rest.clear());
        }
    }

    /// Notes what is left at the end of a file of `len` bytes, all of whose whole lines were read.
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
        self.text.grown(self.len);
        Ok(())
    }
}
