//! Cuts a large file into chunks of whole lines that can be read in any order.

use std::fs::File;
use std::io;
use std::ops::Range;

use widetui_format::load::lines::MAX_LINE;
use widetui_format::messages::continuation_lines::AHEAD;
use widetui_format::reader::Syntax;
use widetui_source::file::read_fully;

/// Bytes of a large file that one unit of work reads, at least.
pub const CHUNK: u64 = 4 << 20;

/// Bytes that one reads of a file of JSON, at most. Its records are some ten times as long as lines of text, and what is found
/// out about a segment at a time should be found out of many.
const LONG_CHUNK: u64 = 16 << 20;

/// Each thread of many should have some chunks of a file to read.
const CHUNKS: u64 = 32;

/// Bytes that are read at once: what was just read is still near when its lines are taken apart, and a small run touches little
/// new memory for it. Each time it reads `AHEAD` and a page more.
pub(crate) const PIECE: u64 = 128 << 10;

/// Which stretch of a source something is: a chunk of a file, a piece of a stream, what a file grew by at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch(pub u32);

impl Stretch {
    /// The number of its first part among all parts of its source. A stretch that goes over the end of a segment has
    /// several parts; there is room for 256 before those of the next stretch.
    pub(crate) fn first_part(self) -> u32 {
        self.0 << 8
    }
}

/// Reads a file piece by piece. What was read ahead of one piece is not read again for the next.
#[derive(Debug)]
pub(crate) struct PieceReader<'f> {
    file: &'f File,
    len: u64,
    /// Bytes of the file from `base` on.
    buffer: Vec<u8>,
    base: u64,
}

impl<'f> PieceReader<'f> {
    /// Of a file of `len` bytes, of which `start` has the first ones, if it has any.
    pub(crate) fn new(file: &'f File, len: u64, start: Vec<u8>) -> PieceReader<'f> {
        PieceReader {
            file,
            len,
            buffer: start,
            base: 0,
        }
    }

    /// What was read last.
    pub(crate) fn text(&self) -> &[u8] {
        &self.buffer
    }

    /// Its memory, for the next one.
    pub(crate) fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }

    /// Reads the lines that start in `range`; gives where in `text` they are and at which byte of the file they start. Behind
    /// them `text` has `AHEAD` bytes, or all that the file has. `None` when no line starts there.
    ///
    /// # Errors
    /// What the operating system reports.
    pub(crate) fn lines(&mut self, range: Range<u64>) -> io::Result<Option<(Range<usize>, u64)>> {
        // One byte before, to see whether a line starts right at the start.
        let base = range.start.saturating_sub(1);
        let most = (range.end - base) as usize + MAX_LINE + AHEAD;
        let mut want = ((range.end - base) as usize).saturating_add(AHEAD + 4096);
        self.begin_at(base);
        loop {
            want = want.min(most).min(self.len.saturating_sub(base) as usize);
            self.fill(want)?;
            let buffer = &self.buffer[..];
            let n = buffer.len();
            // A line that is longer than all of the range is read with the range that it starts in.
            let own = &buffer[..n.min((range.end - base) as usize)];
            if range.start > 0 && memchr::memchr(b'\n', own).is_none() {
                return Ok(None);
            }
            // The line that holds the last byte of the range ends here.
            let from = ((range.end - base) as usize).saturating_sub(1).min(n);
            let end = memchr::memchr(b'\n', &buffer[from..]).map(|at| from + at + 1);
            let whole = end.is_some_and(|end| n - end >= AHEAD)
                || n < want
                || n as u64 + base >= self.len
                || n >= most;
            if !whole {
                want = want.saturating_mul(2);
                continue;
            }
            let end = end.unwrap_or(n).min(most - AHEAD);
            let start = if range.start == 0 {
                0
            } else {
                match memchr::memchr(b'\n', &buffer[..end]) {
                    Some(at) => at + 1,
                    None => return Ok(None),
                }
            };
            if start >= end || base + start as u64 >= range.end {
                return Ok(None);
            }
            return Ok(Some((start..end, base + start as u64)));
        }
    }

    /// Keeps of the buffer what the file has from this byte on.
    fn begin_at(&mut self, base: u64) {
        let before = base.checked_sub(self.base).map(|n| n as usize);
        match before.filter(|n| *n < self.buffer.len()) {
            Some(before) => {
                self.buffer.copy_within(before.., 0);
                self.buffer.truncate(self.buffer.len() - before);
            }
            None => self.buffer.clear(),
        }
        self.base = base;
    }

    /// Reads on until the buffer has `want` bytes, or all that the file has.
    fn fill(&mut self, want: usize) -> io::Result<()> {
        let known = self.buffer.len();
        if known >= want {
            return Ok(());
        }
        self.buffer.resize(want, 0);
        let rest = &mut self.buffer[known..];
        let read = read_fully(self.file, rest, self.base + known as u64);
        self.buffer.truncate(known + *read.as_ref().unwrap_or(&0));
        read.map(|_| ())
    }
}

/// The chunks of a file, whose records are lines of JSON or of text.
pub(crate) fn chunks(len: u64, syntax: &Syntax) -> impl Iterator<Item = Range<u64>> + use<> {
    let size = match syntax {
        Syntax::Json(_) => (len / CHUNKS).clamp(CHUNK, LONG_CHUNK),
        Syntax::Lines(_) => CHUNK,
    };
    (0..len.div_ceil(size)).map(move |i| i * size..((i + 1) * size).min(len))
}

/// What is read at once of a chunk, in turn.
pub(crate) fn pieces(chunk: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let Range { start, end } = chunk;
    (start..end)
        .step_by(PIECE as usize)
        .map(move |from| from..(from + PIECE).min(end))
}

/// The whole lines at the start of a text.
pub(super) fn whole_lines(text: &[u8]) -> &[u8] {
    &text[..memchr::memrchr(b'\n', text).map_or(0, |at| at + 1)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Write;

    proptest! {
        #[test]
        fn every_line_is_read_once(text in "[ab\n]{0,200}", cut in 1u64..40, known in 0usize..300) {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(text.as_bytes()).unwrap();
            let len = text.len() as u64;
            let mut all = Vec::new();
            let known = known.min(text.len());
            let mut reader = PieceReader::new(&file, len, text.as_bytes()[..known].to_vec());
            for start in (0..len).step_by(cut as usize) {
                let range = start..(start + cut).min(len);
                let found = reader.lines(range.clone()).unwrap();
                // As if it were the only one that is read.
                let mut alone = PieceReader::new(&file, len, Vec::new());
                prop_assert_eq!(&found, &alone.lines(range).unwrap());
                prop_assert!(text.as_bytes()[reader.base as usize..].starts_with(reader.text()));
                if let Some((lines, at)) = found {
                    prop_assert_eq!(at as usize, all.len());
                    let ahead = |reader: &PieceReader<'_>| reader.text().len() - lines.end >= AHEAD;
                    let is_all = reader.base as usize + reader.text().len() == text.len();
                    prop_assert!(is_all || ahead(&reader));
                    all.extend_from_slice(&reader.text()[lines]);
                }
            }
            prop_assert_eq!(all, text.as_bytes());
        }
    }
}
