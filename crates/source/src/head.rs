//! First bytes of a source, from which its type and the form of its records are detected.

use std::io::{self, ErrorKind, Read};

use widetui_core::bytes::{BOM, lines, may_have_time, strip_bom};
use widetui_core::cancel::Cancel;

use super::text::{Text, at_most};

/// Number of bytes at the start of a source that are examined.
pub const HEAD: usize = 64 * 1024;

/// Number of bytes that are examined if `HEAD` bytes have no time: text without a time stands before the first record.
pub const DEEP_HEAD: usize = 1 << 20;

/// Number of bytes that are examined if the first line is longer than `HEAD`.
pub const LONG_HEAD: usize = 8 << 20;

/// Part of a source that its first bytes cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The whole source, or all data so far.
    Whole,
    /// More data follows; the last line may be incomplete.
    Cut,
}

/// Sample of the start of a source: `HEAD` bytes, or `DEEP_HEAD` bytes if those have no time, and the rest of the line
/// there, limited to `LONG_HEAD`.
#[derive(Clone, Copy, Debug)]
pub struct SourceHead<'a> {
    bytes: &'a [u8],
    extent: Extent,
}

impl<'a> SourceHead<'a> {
    /// Sample that consists of a whole text, of any length.
    pub fn whole(bytes: &'a [u8]) -> SourceHead<'a> {
        SourceHead {
            bytes: strip_bom(bytes),
            extent: Extent::Whole,
        }
    }

    /// Sample of a source that starts with these bytes.
    pub fn of(bytes: &'a [u8], extent: Extent) -> SourceHead<'a> {
        let most = match bytes.get(..HEAD) {
            Some(head) if !has_time(head) => DEEP_HEAD,
            _ => HEAD,
        };
        let end = match bytes.get(most - 1..) {
            None => bytes.len(),
            Some(rest) => memchr::memchr(b'\n', rest)
                .map_or(bytes.len(), |at| most + at)
                .min(LONG_HEAD),
        };
        SourceHead {
            bytes: strip_bom(bytes.get(..end).unwrap_or(bytes)),
            extent: if end < bytes.len() {
                Extent::Cut
            } else {
                extent
            },
        }
    }

    /// Bytes of the sample without a byte order mark.
    pub fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// Part of the source that the sample covers.
    pub fn extent(self) -> Extent {
        self.extent
    }

    /// Whether the sample is the whole source.
    pub fn is_whole(self) -> bool {
        self.extent == Extent::Whole
    }
}

/// True if a line may have a time.
fn has_time(bytes: &[u8]) -> bool {
    lines(bytes).any(may_have_time)
}

/// True if these bytes suffice as a sample: `HEAD` bytes with a whole line and a time, `DEEP_HEAD` bytes with a whole
/// line, or `LONG_HEAD` bytes.
fn is_enough(bytes: &[u8]) -> bool {
    let has_line = || memchr::memchr(b'\n', bytes).is_some();
    match bytes.len() {
        LONG_HEAD.. => true,
        DEEP_HEAD.. => has_line(),
        HEAD.. => has_line() && has_time(bytes),
        _ => false,
    }
}

/// First bytes of a stream, taken from it.
#[derive(Debug)]
pub struct FirstBytes {
    /// Bytes, to be read again before the rest of the stream.
    pub bytes: Vec<u8>,
    /// Whether the stream ends with these bytes.
    pub extent: Extent,
    /// Error that ended the stream.
    pub failed: Option<io::Error>,
}

impl FirstBytes {
    /// Reads at least `want` bytes, and enough for the first line. If the stream times out, returns the data so far,
    /// provided that it contains a line.
    pub fn read(mut stream: impl Read, want: usize, cancel: &Cancel) -> FirstBytes {
        let mut first = FirstBytes {
            bytes: Vec::new(),
            extent: Extent::Whole,
            failed: None,
        };
        let mut want = want.max(HEAD);
        while !cancel.is_cancelled() {
            let room = want.saturating_sub(first.bytes.len()) as u64;
            match (&mut stream).take(room).read_to_end(&mut first.bytes) {
                Err(error) if error.kind() == ErrorKind::TimedOut => {
                    if memchr::memchr(b'\n', &first.bytes).is_some() {
                        break;
                    }
                }
                Err(error) => {
                    first.failed = Some(error);
                    break;
                }
                Ok(_) if first.bytes.len() < want => break,
                Ok(_) if is_enough(&first.bytes) => {
                    first.extent = Extent::Cut;
                    break;
                }
                Ok(_) => want += HEAD,
            }
        }
        first
    }

    /// Sample for detection.
    pub fn head(&self) -> SourceHead<'_> {
        SourceHead::of(&self.bytes, self.extent)
    }
}

/// Reads the sample of a text into the buffer; returns the part of the text that it covers.
///
/// # Errors
/// Error of the text.
pub fn read_start(text: &dyn Text, buffer: &mut Vec<u8>) -> io::Result<Extent> {
    let len = text.len();
    for most in [HEAD, DEEP_HEAD, LONG_HEAD] {
        let want = at_most(most, len);
        buffer.resize(want, 0);
        let n = text.read_at(0, buffer)?;
        buffer.truncate(n);
        if n < want || n as u64 == len {
            return Ok(Extent::Whole);
        }
        if is_enough(buffer) {
            break;
        }
    }
    Ok(Extent::Cut)
}

/// Stream without a leading byte order mark. Offsets differ from those of the original, so it suits streams that are
/// read once.
#[derive(Debug)]
pub struct BomStripper<R> {
    inner: R,
    /// First bytes, unless they are a byte order mark.
    start: Vec<u8>,
    given: usize,
    is_known: bool,
}

impl<R: Read> BomStripper<R> {
    /// Strips the mark from a stream.
    pub fn new(inner: R) -> BomStripper<R> {
        BomStripper {
            inner,
            start: Vec::new(),
            given: 0,
            is_known: false,
        }
    }
}

impl<R: Read> Read for BomStripper<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if !self.is_known {
            let room = BOM.len() - self.start.len();
            let mut start = (&mut self.inner).take(room as u64);
            start.read_to_end(&mut self.start)?;
            self.is_known = true;
            if self.start == BOM {
                self.start.clear();
            }
        }
        let mut left = self.start.get(self.given..).unwrap_or_default();
        if left.is_empty() {
            return self.inner.read(buf);
        }
        let n = left.read(buf)?;
        self.given += n;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::MemoryText;

    /// Reader that returns a few bytes at a time and times out in between.
    struct Slow<'a>(&'a [u8], bool);

    impl Read for Slow<'_> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 && !self.0.is_empty() {
                return Err(ErrorKind::TimedOut.into());
            }
            let n = buf.len().min(50_000);
            (&mut self.0).read(&mut buf[..n])
        }
    }

    fn text(first: usize, more: usize) -> Vec<u8> {
        let mut text = vec![b'x'; first];
        text.push(b'\n');
        text.resize(first + 1 + more, b'y');
        text
    }

    #[test]
    fn a_long_first_line_is_looked_at_to_its_end_wherever_it_comes_from() {
        for (first, more) in [
            (10, 5),
            (10, HEAD),
            (HEAD - 1, 0),
            (HEAD - 1, 10),
            (HEAD, 10),
            (200_000, 0),
            (200_000, 3 * HEAD),
            (LONG_HEAD, 10),
        ] {
            let text = text(first, more);
            let whole = SourceHead::of(&text, Extent::Whole);
            let mut buffer = Vec::new();
            let extent = read_start(&MemoryText(text.clone()), &mut buffer).unwrap();
            let cancel = Cancel::default();
            let stream = FirstBytes::read(&text[..], 0, &cancel);
            let long = FirstBytes::read(&text[..], 2 * LONG_HEAD, &cancel);
            let line = (first + 1).min(LONG_HEAD);
            for head in [
                whole,
                SourceHead::of(&buffer, extent),
                stream.head(),
                long.head(),
            ] {
                assert!(head.bytes().len() >= line, "{first} {more}");
                assert!(text.starts_with(head.bytes()));
                assert!(!head.is_whole() || head.bytes().len() == text.len());
            }
            assert_eq!(whole.is_whole(), whole.bytes().len() == text.len());
            // After a timeout the available line is returned.
            let slow = FirstBytes::read(Slow(&text, false), 0, &cancel);
            assert!(slow.bytes.len() >= line, "{first} {more}");
        }
        let marked = [BOM, b"a\n"].concat();
        assert_eq!(SourceHead::whole(&marked).bytes(), b"a\n");
        for (text, want) in [(&marked[..], "a\n"), (b"ab", "ab"), (b"", "")] {
            let mut read = String::new();
            BomStripper::new(text).read_to_string(&mut read).unwrap();
            assert_eq!(read, want);
        }
        let empty = FirstBytes::read(&b""[..], 0, &Cancel::default());
        assert!(empty.head().is_whole() && empty.bytes.is_empty());
    }
}
