//! Growing text with its reading position: a file, or a text derived from one.

use std::io;

use crate::detector::Log;
use widetui_core::ids::SourceId;
use widetui_format::load::lines::MAX_LINE;
use widetui_format::messages::continuation_lines::AHEAD;
use widetui_source::head::HEAD;
use widetui_source::text::{Text, read_range};

/// Size of one read in bytes.
const PIECE: usize = 4 << 20;
/// Maximum length of the unfinished end that is shown: a last line without a line feed, or a last record to which
/// continuation lines may be added.
pub(super) const REST: usize = AHEAD + (16 << 10);

/// Source with a growing text, its reader, and its reading position.
#[derive(Debug)]
pub(super) struct Growing {
    pub(crate) id: SourceId,
    /// Path by which definitions match the source.
    pub(crate) name: String,
    /// Reader; `None` while there is no whole line.
    pub(crate) log: Option<Log>,
    /// Length of the text when the reader was last detected.
    pub(crate) sampled: u64,
    /// Byte at which the first unread line starts.
    pub(crate) read_to: u64,
    /// Byte up to which the text after `read_to` contains no line feed.
    searched: u64,
    /// Whether `read_to` is within a line that exceeds `MAX_LINE`, of which the rest is skipped.
    inside_line: bool,
    /// Unfinished end of the text, or the start of that.
    pub(crate) rest: Vec<u8>,
    /// Whether any records were read.
    pub(crate) has_records: bool,
    /// Number of the last part that was read.
    pub(crate) seq: u32,
}

/// Range of whole lines that were read.
pub(super) struct Lines {
    /// Byte of the text at which the lines start.
    pub(crate) offset: u64,
    /// Length of the lines in the buffer, bytes.
    pub(crate) len: usize,
}

impl Growing {
    pub(crate) fn new(id: SourceId, name: String) -> Growing {
        Growing {
            id,
            name,
            log: None,
            sampled: 0,
            read_to: 0,
            searched: 0,
            inside_line: false,
            rest: Vec::new(),
            has_records: false,
            seq: 0,
        }
    }

    /// Reads the next whole lines of a text of `len` bytes into the buffer; `None` if there are none.
    pub(crate) fn next_lines(
        &mut self,
        text: &dyn Text,
        len: u64,
        buffer: &mut Vec<u8>,
    ) -> io::Result<Option<Lines>> {
        while self.inside_line && self.read_to < len {
            read_at(text, self.read_to, len, PIECE, buffer)?;
            if buffer.is_empty() {
                return Ok(None);
            }
            let end = memchr::memchr(b'\n', buffer);
            self.read_to += end.map_or(buffer.len(), |at| at + 1) as u64;
            self.inside_line = end.is_none();
            self.searched = self.read_to;
        }
        if self.searched > self.read_to {
            // Searches only new bytes for the line feed of a long line.
            read_at(text, self.searched, len, MAX_LINE, buffer)?;
            let is_long = self.searched + buffer.len() as u64 - self.read_to > MAX_LINE as u64;
            if memchr::memchr(b'\n', buffer).is_none() && !is_long {
                self.searched += buffer.len() as u64;
                return Ok(None);
            }
        }
        let mut want = PIECE;
        read_at(text, self.read_to, len, want, buffer)?;
        if buffer.len() == want && memchr::memchr(b'\n', buffer).is_none() {
            // A line may be longer than a piece.
            want += MAX_LINE;
            read_at(text, self.read_to, len, want, buffer)?;
        }
        // Leaves `AHEAD` bytes, because the last record of a piece may continue.
        let early = buffer.len() - if buffer.len() < want { 0 } else { AHEAD };
        let end = memchr::memrchr(b'\n', &buffer[..early]);
        let end = end.or_else(|| memchr::memrchr(b'\n', buffer));
        let mut whole = end.map_or(0, |at| at + 1);
        if whole == 0 && buffer.len() > MAX_LINE {
            // Line of excessive length: its start becomes the record, the rest is skipped.
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

    /// Stores the unfinished end of a text of `len` bytes after all whole lines were read.
    pub(crate) fn note_rest(&mut self, text: &dyn Text, len: u64) -> io::Result<()> {
        self.rest.clear();
        if self.read_to < len && !self.inside_line {
            let mut rest = std::mem::take(&mut self.rest);
            read_at(text, self.read_to, len, REST, &mut rest)?;
            self.rest = rest;
        }
        Ok(())
    }

    /// Whether the reader should be detected (again) for a text of `len` bytes. Without records detection is repeated
    /// whenever the text grows, since nothing has to be read again.
    pub(crate) fn needs_detection(&self, len: u64) -> bool {
        let again = (self.sampled * 2).min(HEAD as u64);
        len > self.sampled && (!self.has_records || self.sampled < HEAD as u64 && len >= again)
    }

    /// Whether only part of the detector's sample was present when the reader was detected.
    pub(crate) fn is_partly_sampled(&self, len: u64) -> bool {
        self.sampled < len.min(HEAD as u64)
    }

    /// Sets the reading position to a start of a line.
    pub(crate) fn read_from(&mut self, byte: u64) {
        (self.read_to, self.searched) = (byte, byte);
        self.inside_line = false;
    }

    /// Resets the reading position to the start.
    pub(crate) fn restart(&mut self) {
        self.read_from(0);
        self.has_records = false;
    }

    /// Detects whether the loader stopped reading within a line.
    pub(crate) fn check_start(&mut self, text: &dyn Text) -> io::Result<()> {
        if self.read_to > 0 {
            let last = read_range(text, self.read_to - 1, 1)?;
            if let [byte] = last[..] {
                self.inside_line = byte != b'\n';
            }
        }
        Ok(())
    }
}

/// Reads at most `most` bytes at `offset` of a text of `len` bytes.
fn read_at(
    text: &dyn Text,
    offset: u64,
    len: u64,
    most: usize,
    buffer: &mut Vec<u8>,
) -> io::Result<()> {
    let n = len.saturating_sub(offset).min(most as u64) as usize;
    buffer.resize(n, 0);
    let n = text.read_at(offset, buffer)?;
    buffer.truncate(n);
    Ok(())
}
