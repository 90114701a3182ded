//! A text that grows, and how far its lines were read: a file, or what is taken out of one.

use std::io;

use crate::detector::Log;
use widetui_core::ids::SourceId;
use widetui_format::load::lines::MAX_LINE;
use widetui_format::messages::continuation_lines::AHEAD;
use widetui_source::head::HEAD;
use widetui_source::text::{Text, read_range};

/// Bytes read at once.
const PIECE: usize = 4 << 20;
/// Bytes that are shown of what is unfinished at the end of a text: a last line without its end, or a last record to
/// which lines may come that say more of it.
pub(super) const REST: usize = AHEAD + (16 << 10);

/// A source whose text grows: its reader, and the byte up to which it was read.
#[derive(Debug)]
pub(super) struct Growing {
    pub(crate) id: SourceId,
    /// Its path, by which definitions know it.
    pub(crate) name: String,
    /// How it is read; `None` while it has no whole line.
    pub(crate) log: Option<Log>,
    /// Bytes of its start that were looked at to find that out.
    pub(crate) looked: u64,
    /// Where the first line starts that was not read.
    pub(crate) read_to: u64,
    /// There is no line's end between there and here.
    searched: u64,
    /// What was read ends inside a line that is too long to wait for.
    inside_line: bool,
    /// What is unfinished at its end, or the start of it.
    pub(crate) rest: Vec<u8>,
    /// Whether it has records.
    pub(crate) has_records: bool,
    /// Number of the last stretch that was read.
    pub(crate) seq: u32,
}

/// Whole lines that were read.
pub(super) struct Lines {
    /// Byte at which they start.
    pub(crate) offset: u64,
    /// How many bytes of the buffer they are.
    pub(crate) len: usize,
}

impl Growing {
    pub(crate) fn new(id: SourceId, name: String) -> Growing {
        Growing {
            id,
            name,
            log: None,
            looked: 0,
            read_to: 0,
            searched: 0,
            inside_line: false,
            rest: Vec::new(),
            has_records: false,
            seq: 0,
        }
    }

    /// Reads the next whole lines of a text that has `len` bytes into the buffer. `None` when there are no more.
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
            // Only what is new is looked through for the end of a long line.
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
            // What is looked at of a line may be more than a piece.
            want += MAX_LINE;
            read_at(text, self.read_to, len, want, buffer)?;
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

    /// Notes what is left behind the last line of a text of `len` bytes, all of whose whole lines were read.
    pub(crate) fn note_rest(&mut self, text: &dyn Text, len: u64) -> io::Result<()> {
        self.rest.clear();
        if self.read_to < len && !self.inside_line {
            let mut rest = std::mem::take(&mut self.rest);
            read_at(text, self.read_to, len, REST, &mut rest)?;
            self.rest = rest;
        }
        Ok(())
    }

    /// Whether it is to be found out (once more) how it is read, now that it has `len` bytes. As long as it has no records,
    /// that costs nothing.
    pub(crate) fn is_open(&self, len: u64) -> bool {
        let again = (self.looked * 2).min(HEAD as u64);
        len > self.looked && (!self.has_records || self.looked < HEAD as u64 && len >= again)
    }

    /// Whether less of its start was looked at than there is to be looked at.
    pub(crate) fn is_looked_at_in_part(&self, len: u64) -> bool {
        self.looked < len.min(HEAD as u64)
    }

    /// What starts at this byte, a line's start, is read when more has come.
    pub(crate) fn read_from(&mut self, byte: u64) {
        (self.read_to, self.searched) = (byte, byte);
        self.inside_line = false;
    }

    /// Reads it from the start again.
    pub(crate) fn restart(&mut self) {
        self.read_from(0);
        self.has_records = false;
    }

    /// It was read up to here by somebody else, who may have stopped in the middle of a line.
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
