//! Random access to the text of sources.

use std::fmt;
use std::io::{self, Read};

/// Bytes of one source, readable at any offset, at any time and from any thread.
///
/// The store keeps offsets only; displayed text is read again through this trait. A source that shrank or vanished
/// returns fewer bytes or an error.
pub trait Text: Send + Sync + fmt::Debug {
    /// Current length in bytes.
    fn len(&self) -> u64;

    /// Whether the text is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads at `offset` until `buf` is full or the text ends; returns the number of bytes read.
    ///
    /// # Errors
    /// Error of the operating system or of a decompressor.
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize>;
}

/// Reads `len` bytes at `offset` into a new buffer; fewer at the end of the text.
///
/// # Errors
/// Errors of `Text::read_at`.
pub fn read_range(text: &dyn Text, offset: u64, len: usize) -> io::Result<Vec<u8>> {
    let available = at_most(len, text.len().saturating_sub(offset));
    let mut buf = vec![0; available];
    let n = text.read_at(offset, &mut buf)?;
    buf.truncate(n);
    Ok(buf)
}

/// Stream of the bytes of a text from `at` on.
#[derive(Debug)]
pub struct TextStream<'t> {
    text: &'t dyn Text,
    at: u64,
}

impl<'t> TextStream<'t> {
    /// Creates a stream.
    pub fn new(text: &'t dyn Text, at: u64) -> TextStream<'t> {
        TextStream { text, at }
    }
}

impl Read for TextStream<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.text.read_at(self.at, buf)?;
        self.at += n as u64;
        Ok(n)
    }
}

/// Number of the `left` bytes that fit into a buffer of `most` bytes.
pub(crate) fn at_most(most: usize, left: u64) -> usize {
    usize::try_from(left).map_or(most, |left| left.min(most))
}

/// Text in memory, for short texts and tests.
#[derive(Debug, Default)]
pub struct MemoryText(pub Vec<u8>);

impl Text for MemoryText {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        let start = usize::try_from(offset).ok();
        let mut left = start.and_then(|start| self.0.get(start..)).unwrap_or(&[]);
        left.read(buf)
    }
}
