//! One file that is followed: how far it was read, and what happened to it since.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::base::ids::SourceId;
use crate::format::further::AHEAD;
use crate::format::lines::MAX_LINE;
use crate::source::discover::{FoundFile, modified};
use crate::source::file::{FileId, FileText, open_regular, read_fully};
use crate::workspace::detector::Log;

/// Bytes before the end of what was read that are compared at the next reading: a file that was cut and has grown
/// again is told by them.
const CHECK: usize = 64;
/// Bytes read at once.
const PIECE: usize = 4 << 20;
/// Bytes that are shown of what is unfinished at the end of a file: a last line without its end, or a last record to
/// which lines may come that say more of it.
pub(super) const REST: usize = AHEAD + (16 << 10);
/// A file that grew within this time is asked at each poll.
const LIVELY: Duration = Duration::from_secs(10);

/// A followed file: where it lies, its reader, and the byte up to which it was read.
#[derive(Debug)]
pub(super) struct Watched {
    pub id: SourceId,
    pub path: PathBuf,
    pub name: String,
    pub file: FileId,
    pub text: Arc<FileText>,
    /// How it is read; `None` while it has no whole line.
    pub log: Option<Log>,
    /// Bytes of its start that were looked at to find that out.
    pub looked: u64,
    /// Where the first line starts that was not read.
    pub read_to: u64,
    /// There is no line's end between there and here.
    searched: u64,
    /// What was read ends inside a line that is too long to wait for.
    inside_line: bool,
    /// Its length when it was asked last.
    pub len: u64,
    /// When it was written last, ns.
    pub modified: i64,
    /// The last bytes before `len`.
    check: Vec<u8>,
    /// What is unfinished at its end, or the start of it.
    pub rest: Vec<u8>,
    /// Whether it has records.
    pub has_records: bool,
    /// Number of the last stretch that was read.
    pub seq: u32,
    /// When it grew last.
    pub grew: Option<Instant>,
    /// Whether somebody was told that it cannot be read.
    pub is_locked: bool,
    /// Nothing is expected of it any more.
    pub is_over: bool,
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

/// Whole lines that were read.
pub(super) struct Lines {
    /// Byte at which they start.
    pub offset: u64,
    /// How many bytes of the buffer they are.
    pub len: usize,
}

impl Watched {
    pub fn new(id: SourceId, path: PathBuf, file: FileId, text: Arc<FileText>) -> Watched {
        text.moved(&path, file);
        Watched {
            id,
            name: path.to_string_lossy().into_owned(),
            path,
            file,
            text,
            log: None,
            looked: 0,
            read_to: 0,
            searched: 0,
            inside_line: false,
            len: 0,
            modified: 0,
            check: Vec::new(),
            rest: Vec::new(),
            has_records: false,
            seq: 0,
            grew: None,
            is_locked: false,
            is_over: false,
        }
    }

    /// It was read before, to the byte `to`.
    pub fn read_before(
        mut self,
        log: Log,
        to: u64,
        found: &FoundFile,
        has_records: bool,
    ) -> Watched {
        self.looked = found.bytes;
        self.log = Some(log);
        (self.read_to, self.searched) = (to, to);
        self.len = to;
        if to == found.bytes {
            self.modified = found.modified;
        }
        self.has_records = has_records;
        self.seq = (to / crate::workspace::chunk::CHUNK) as u32 + 2;
        self
    }

    /// It was looked at before, and has no lines that are followed.
    pub fn looked_at(mut self, found: &FoundFile) -> Watched {
        (self.len, self.modified) = (found.bytes, found.modified);
        self
    }

    pub fn is_lively(&self, now: Instant) -> bool {
        self.grew.is_some_and(|t| now.duration_since(t) < LIVELY)
    }

    /// Asks for its size.
    pub fn look(&self) -> Look {
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
    pub fn is_in_place(&self) -> bool {
        matches!(self.look(), Look::Same | Look::Grew { .. } | Look::Cut)
    }

    /// Whether the file at another path, which has the number of this one, has what was read of it: numbers of files that
    /// were deleted are given to new ones.
    pub fn goes_on_at(&self, path: &Path) -> bool {
        let Ok(file) = open_regular(path) else {
            return false;
        };
        file.metadata().is_ok_and(|m| m.len() >= self.len) && self.is_same(&file).unwrap_or(false)
    }

    /// Whether the bytes before the end of what was known are still there.
    pub fn is_same(&self, file: &File) -> io::Result<bool> {
        let mut bytes = vec![0; self.check.len()];
        let n = read_fully(file, &mut bytes, self.len - self.check.len() as u64)?;
        Ok(n == bytes.len() && bytes == self.check)
    }

    /// Reads the next whole lines of a file that has `len` bytes into the buffer. `None` when there are no more: then
    /// the unfinished line is known too.
    pub fn next_lines(
        &mut self,
        file: &File,
        len: u64,
        buffer: &mut Vec<u8>,
    ) -> io::Result<Option<Lines>> {
        while self.inside_line && self.read_to < len {
            read_at(file, self.read_to, len, PIECE, buffer)?;
            if buffer.is_empty() {
                return Ok(None);
            }
            let end = memchr::memchr(b'\n', buffer);
            self.read_to += end.map_or(buffer.len(), |at| at + 1) as u64;
            self.inside_line = end.is_none();
            self.searched = self.read_to;
        }
        if self.searched > self.read_to {
            // Only what is new is looked through for the end of a long line.
            read_at(file, self.searched, len, MAX_LINE, buffer)?;
            let is_long = self.searched + buffer.len() as u64 - self.read_to > MAX_LINE as u64;
            if memchr::memchr(b'\n', buffer).is_none() && !is_long {
                self.searched += buffer.len() as u64;
                return Ok(None);
            }
        }
        let mut want = PIECE;
        read_at(file, self.read_to, len, want, buffer)?;
        if buffer.len() == want && memchr::memchr(b'\n', buffer).is_none() {
            // What is looked at of a line may be more than a piece.
            want += MAX_LINE;
            read_at(file, self.read_to, len, want, buffer)?;
        }
        // The last record of a piece may go on behind it.
        let early = buffer.len() - if buffer.len() < want { 0 } else { AHEAD };
        let end = memchr::memrchr(b'\n', &buffer[..early]);
        let end = end.or_else(|| memchr::memrchr(b'\n', buffer));
        let mut whole = end.map_or(0, |at| at + 1);
        if whole == 0 && buffer.len() > MAX_LINE {
            // A line that is too long to wait for: its start is the record, the rest is read over.
            whole = MAX_LINE;
            self.inside_line = true;
        }
        let offset = self.read_to;
        self.read_to += whole as u64;
        self.searched = match whole > 0 && whole <= early && buffer[whole..].contains(&b'\n') {
            true => self.read_to,
            false => offset + buffer.len() as u64,
        };
        Ok((whole > 0).then_some(Lines { offset, len: whole }))
    }

    /// Notes what is left at the end of a file of `len` bytes, all of whose whole lines were read.
    pub fn note_end(&mut self, file: &File, len: u64, modified: i64) -> io::Result<()> {
        let from = len.saturating_sub(CHECK as u64);
        let mut bytes = Vec::new();
        read_at(file, from, len, CHECK, &mut bytes)?;
        self.len = from + bytes.len() as u64;
        self.check = bytes;
        self.modified = modified;
        self.rest.clear();
        if self.read_to < self.len && !self.inside_line {
            let mut rest = std::mem::take(&mut self.rest);
            read_at(file, self.read_to, self.len, REST, &mut rest)?;
            self.rest = rest;
        }
        self.text.grown(self.len);
        Ok(())
    }

    /// What starts at this byte, a line's start, is read when more has come.
    pub fn read_from(&mut self, byte: u64) {
        (self.read_to, self.searched) = (byte, byte);
        self.inside_line = false;
    }

    /// Reads it from the start again.
    pub fn restart(&mut self) {
        self.read_from(0);
        self.has_records = false;
    }

    /// It was read to the middle of a line.
    pub fn check_start(&mut self, file: &File) -> io::Result<()> {
        let mut byte = [0];
        if self.len == self.read_to
            && self.check.is_empty()
            && self.read_to > 0
            && read_fully(file, &mut byte, self.read_to - 1)? == 1
        {
            self.inside_line = byte != [b'\n'];
        }
        Ok(())
    }
}

/// Reads at most `most` bytes at `offset` of a file of `len` bytes.
fn read_at(
    file: &File,
    offset: u64,
    len: u64,
    most: usize,
    buffer: &mut Vec<u8>,
) -> io::Result<()> {
    let n = len.saturating_sub(offset).min(most as u64) as usize;
    buffer.resize(n, 0);
    let n = read_fully(file, buffer, offset)?;
    buffer.truncate(n);
    Ok(())
}
