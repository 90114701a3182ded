//! Chunks of whole lines of a large file, which can be read in any order.

use std::io;
use std::ops::Range;

use widetui_format::load::lines::MAX_LINE;
use widetui_format::messages::continuation_lines::AHEAD;
use widetui_format::reader::Syntax;
use widetui_source::text::Text;

/// Minimum length of a chunk, bytes.
pub const CHUNK: u64 = 4 << 20;

/// Maximum length of a chunk of JSON, bytes. Its records are about ten times as long as lines of text, and what is computed
/// per segment should cover many records.
const LONG_CHUNK: u64 = 16 << 20;

/// Minimum number of chunks of a file per thread.
const CHUNKS: u64 = 32;

/// Length of one read, bytes: text that was just read is still in the cache when its lines are parsed, and a small run touches
/// little new memory for it. Each read adds `AHEAD` and a page.
pub(crate) const PIECE: u64 = 128 << 10;

/// Number of a part of a source: a chunk of a file, a piece of a stream, the growth of a file at one poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PartNumber(pub u32);

impl PartNumber {
    /// Number of its first segment part. A chunk that continues beyond the end of a segment has several parts; there is room for
    /// 256 before those of the next chunk.
    pub(crate) fn first_part(self) -> u32 {
        self.0 << 8
    }
}

/// Reader of a text in pieces, which keeps what it read ahead.
#[derive(Debug)]
pub(crate) struct PieceReader<'t> {
    source: &'t dyn Text,
    len: u64,
    /// Bytes of the text from `base` on.
    buffer: Vec<u8>,
    base: u64,
}

impl<'t> PieceReader<'t> {
    /// Reader of a text; `start` holds its first bytes, or none.
    pub(crate) fn new(source: &'t dyn Text, start: Vec<u8>) -> PieceReader<'t> {
        PieceReader {
            source,
            len: source.len(),
            buffer: start,
            base: 0,
        }
    }

    /// Text of the last read.
    pub(crate) fn text(&self) -> &[u8] {
        &self.buffer
    }

    /// Takes its buffer for reuse.
    pub(crate) fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }

    /// Reads the lines that start in `range`; returns their range in `text` and the byte of the file at which they start. `text`
    /// continues for `AHEAD` bytes after them, or to the end of the file. `None` if no line starts in `range`.
    ///
    /// # Errors
    /// Error of the operating system.
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

    /// Drops the buffer's bytes before this byte of the file.
    fn begin_at(&mut self, base: u64) {
        let before = base.checked_sub(self.base).map(|n| n as usize);
        match before.filter(|n| *n < self.buffer.len()) {
            Some(0) => {}
            Some(before) => {
                self.buffer.copy_within(before.., 0);
                self.buffer.truncate(self.buffer.len() - before);
            }
            None => self.buffer.clear(),
        }
        self.base = base;
    }

    /// Fills the buffer to `want` bytes, or to the end of the file.
    fn fill(&mut self, want: usize) -> io::Result<()> {
        let known = self.buffer.len();
        if known >= want {
            return Ok(());
        }
        self.buffer.resize(want, 0);
        let rest = &mut self.buffer[known..];
        let read = self.source.read_at(self.base + known as u64, rest);
        self.buffer.truncate(known + *read.as_ref().unwrap_or(&0));
        read.map(|_| ())
    }
}

/// Chunks of a file with records in JSON lines or text.
pub(crate) fn chunks(len: u64, syntax: &Syntax) -> impl Iterator<Item = Range<u64>> + use<> {
    let size = match syntax {
        Syntax::Json(_) => (len / CHUNKS).clamp(CHUNK, LONG_CHUNK),
        Syntax::Lines(_) => CHUNK,
    };
    (0..len.div_ceil(size)).map(move |i| i * size..((i + 1) * size).min(len))
}

/// Ranges of a chunk that are read at once, in order.
pub(crate) fn pieces(chunk: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let Range { start, end } = chunk;
    (start..end)
        .step_by(PIECE as usize)
        .map(move |from| from..(from + PIECE).min(end))
}

/// Whole lines at the start of a text.
pub(super) fn whole_lines(text: &[u8]) -> &[u8] {
    &text[..memchr::memrchr(b'\n', text).map_or(0, |at| at + 1)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use widetui_source::text::MemoryText;

    proptest! {
        #[test]
        fn every_line_is_read_once(text in "[ab\n]{0,200}", cut in 1u64..40, known in 0usize..300) {
            let source = MemoryText(text.as_bytes().to_vec());
            let len = source.len();
            let mut all = Vec::new();
            let known = known.min(text.len());
            let mut reader = PieceReader::new(&source, text.as_bytes()[..known].to_vec());
            for start in (0..len).step_by(cut as usize) {
                let range = start..(start + cut).min(len);
                let found = reader.lines(range.clone()).unwrap();
                // A fresh reader must give the same result.
                let mut alone = PieceReader::new(&source, Vec::new());
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
