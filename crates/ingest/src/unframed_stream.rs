//! Stream that removes log framing (`format::framing`) from lines as they arrive, for live display.

use std::io::{self, Read};

use widetui_format::framing::Framing;

/// Size of one read in bytes.
const STEP: usize = 1 << 14;

/// Reader that removes the framing from the lines of another reader.
#[derive(Debug)]
pub(super) struct UnframedReader<R> {
    inner: R,
    framing: Option<Framing>,
    /// Incomplete line at the end of the data.
    held: Vec<u8>,
    /// Unframed lines; `given` bytes of them were returned.
    ready: Vec<u8>,
    given: usize,
    /// Whether the incomplete last line was returned after the end of the data.
    is_over: bool,
}

impl<R: Read> UnframedReader<R> {
    /// Creates a reader; without `framing`, lines pass unchanged.
    pub(crate) fn new(inner: R, framing: Option<Framing>) -> UnframedReader<R> {
        UnframedReader {
            inner,
            framing,
            held: Vec::new(),
            ready: Vec::new(),
            given: 0,
            is_over: false,
        }
    }

    /// Underlying reader.
    pub(crate) fn inner_mut(&mut self) -> &mut R {
        &mut self.inner
    }

    /// Removes the framing of a line; a line without framing stays as it is.
    fn take(&mut self, framing: Framing, line: &[u8], is_whole: bool) {
        let bare = line.strip_suffix(b"\r").unwrap_or(line);
        let continues = match framing.unframe(bare) {
            Some(unframed) => {
                self.ready.extend_from_slice(&unframed.line);
                unframed.continues
            }
            None => {
                self.ready.extend_from_slice(line);
                false
            }
        };
        if is_whole && !continues {
            self.ready.push(b'\n');
        }
    }

    /// Reads until there are unframed bytes; returns false at the end.
    fn fill(&mut self, framing: Framing) -> io::Result<bool> {
        let mut bytes = [0; STEP];
        while self.given == self.ready.len() {
            self.ready.clear();
            self.given = 0;
            let n = self.inner.read(&mut bytes)?;
            if n == 0 {
                if self.is_over || self.held.is_empty() {
                    return Ok(false);
                }
                self.is_over = true;
                let rest = std::mem::take(&mut self.held);
                self.take(framing, &rest, false);
                continue;
            }
            let mut new = bytes.get(..n).unwrap_or_default();
            while let Some(at) = memchr::memchr(b'\n', new) {
                self.held.extend_from_slice(&new[..at]);
                new = &new[at + 1..];
                let line = std::mem::take(&mut self.held);
                self.take(framing, &line, true);
            }
            self.held.extend_from_slice(new);
        }
        Ok(true)
    }
}

impl<R: Read> Read for UnframedReader<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let Some(framing) = self.framing else {
            return self.inner.read(buf);
        };
        if !self.fill(framing)? {
            return Ok(0);
        }
        let n = (&self.ready[self.given..]).read(buf)?;
        self.given += n;
        Ok(n)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Reader that returns a fixed number of bytes at a time, with a timeout before each.
    struct Slow<'a>(&'a [u8], usize, bool);

    impl Read for Slow<'_> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            self.2 = !self.2;
            if self.2 {
                return Err(io::ErrorKind::TimedOut.into());
            }
            let n = self.1.min(self.0.len()).min(buf.len());
            buf[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    #[test]
    fn lines_come_out_however_they_come_in() {
        let text = b"2026-11-21T02:16:10.5Z stdout F one\r\nodd\n2026-11-21T02:16:11.5Z stdout P tw\n2026-11-21T02:16:11.5Z stdout F o\n2026-11-21T02:16:12.5Z stderr F three";
        for step in [1, 7, 1000] {
            for (framing, want) in [
                (Some(Framing::Cri), &b"one\nodd\ntwo\nthree"[..]),
                (None, &text[..]),
            ] {
                let mut opened = UnframedReader::new(Slow(text, step, false), framing);
                let mut out = Vec::new();
                loop {
                    let mut buf = [0; 5];
                    match opened.read(&mut buf) {
                        Ok(0) => break,
                        Ok(n) => out.extend_from_slice(&buf[..n]),
                        Err(error) => assert_eq!(error.kind(), io::ErrorKind::TimedOut),
                    }
                }
                assert_eq!(out, want, "{step} {framing:?}");
            }
        }
    }
}
