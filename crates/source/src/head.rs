//! The first bytes of a source: what they are, and how its records look, is told by them.

use std::fs::File;
use std::io::{self, ErrorKind, Read};

use widetui_core::bytes::{MARK, unmarked};
use widetui_core::cancel::Cancel;

use super::file::read_fully;

/// Bytes at the start of a source that are looked at to find out what it is.
pub const HEAD: usize = 64 * 1024;

/// When the first line is longer than `HEAD`, it is looked at up to this many bytes.
pub const LONG_HEAD: usize = 8 << 20;

/// How much of a source its first bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// They are all there is, or all that has come so far.
    Whole,
    /// More follow; the last line may be cut.
    Cut,
}

/// What is looked at of the start of a source: `HEAD` bytes and on to the end of the line there, as far as `LONG_HEAD`.
#[derive(Clone, Copy, Debug)]
pub struct SourceHead<'a> {
    bytes: &'a [u8],
    extent: Extent,
}

impl<'a> SourceHead<'a> {
    /// A text as a whole, however long.
    pub fn whole(bytes: &'a [u8]) -> SourceHead<'a> {
        SourceHead {
            bytes: unmarked(bytes),
            extent: Extent::Whole,
        }
    }

    /// The head of a source that starts with these bytes.
    pub fn of(bytes: &'a [u8], extent: Extent) -> SourceHead<'a> {
        let end = match bytes.len() {
            0..=HEAD => bytes.len(),
            len => memchr::memchr(b'\n', &bytes[HEAD - 1..])
                .map_or(len, |at| HEAD + at)
                .min(LONG_HEAD),
        };
        SourceHead {
            bytes: unmarked(&bytes[..end]),
            extent: if end < bytes.len() {
                Extent::Cut
            } else {
                extent
            },
        }
    }

    /// The bytes, without a mark that they are UTF-8.
    pub fn bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// How much of the source they are.
    pub fn extent(self) -> Extent {
        self.extent
    }

    /// Whether they are all there is.
    pub fn is_whole(self) -> bool {
        self.extent == Extent::Whole
    }
}

/// Whether these bytes are enough to look at: as many as are looked at in any case, and a whole line, if it is not too long.
fn is_enough(bytes: &[u8]) -> bool {
    bytes.len() >= LONG_HEAD || bytes.len() >= HEAD && memchr::memchr(b'\n', bytes).is_some()
}

/// The first bytes of a stream, which has them only once.
#[derive(Debug)]
pub struct FirstBytes {
    /// They themselves, to be read again before the rest of the stream.
    pub bytes: Vec<u8>,
    /// Whether the stream ends with them.
    pub extent: Extent,
    /// What it broke off with.
    pub failed: Option<io::Error>,
}

impl FirstBytes {
    /// Reads at least `want` bytes, and as many as it takes to look at the first line. From a stream that times out when
    /// nothing comes, what is there when it does, if that is a line.
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

    /// What is looked at of them.
    pub fn head(&self) -> SourceHead<'_> {
        SourceHead::of(&self.bytes, self.extent)
    }
}

/// Reads what is looked at of a file of `len` bytes into the buffer; how much of the file that is.
///
/// # Errors
/// What the operating system reports.
pub fn read_start(file: &File, len: u64, buffer: &mut Vec<u8>) -> io::Result<Extent> {
    for most in [HEAD, LONG_HEAD] {
        let want = len.min(most as u64) as usize;
        buffer.resize(want, 0);
        let n = read_fully(file, buffer, 0)?;
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

/// A stream without the mark that may stand before its text. (Its offsets are others: for what is read once.)
#[derive(Debug)]
pub struct Unmarked<R> {
    inner: R,
    /// The first bytes, if they are no mark.
    start: Vec<u8>,
    given: usize,
    is_known: bool,
}

impl<R: Read> Unmarked<R> {
    /// The text of a stream.
    pub fn new(inner: R) -> Unmarked<R> {
        Unmarked {
            inner,
            start: Vec::new(),
            given: 0,
            is_known: false,
        }
    }
}

impl<R: Read> Read for Unmarked<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if !self.is_known {
            let room = MARK.len() - self.start.len();
            let mut start = (&mut self.inner).take(room as u64);
            start.read_to_end(&mut self.start)?;
            self.is_known = true;
            if self.start == MARK {
                self.start.clear();
            }
        }
        let mut left = &self.start[self.given..];
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
    use std::io::Write;

    /// Gives a few bytes at a time, and times out in between.
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
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&text).unwrap();
            let mut buffer = Vec::new();
            let extent = read_start(&file, text.len() as u64, &mut buffer).unwrap();
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
            // Who waits gets the line that is there.
            let slow = FirstBytes::read(Slow(&text, false), 0, &cancel);
            assert!(slow.bytes.len() >= line, "{first} {more}");
        }
        let marked = [MARK, b"a\n"].concat();
        assert_eq!(SourceHead::whole(&marked).bytes(), b"a\n");
        for (text, want) in [(&marked[..], "a\n"), (b"ab", "ab"), (b"", "")] {
            let mut read = String::new();
            Unmarked::new(text).read_to_string(&mut read).unwrap();
            assert_eq!(read, want);
        }
        let empty = FirstBytes::read(&b""[..], 0, &Cancel::default());
        assert!(empty.head().is_whole() && empty.bytes.is_empty());
    }
}
