//! Text by reference: where the bytes of a source are read again.

use std::fmt;
use std::io;

/// The bytes of one source, readable at any place at any time, from any thread.
///
/// The store keeps offsets only; what a screen shows is read again through this. A source that shrank or vanished
/// gives fewer bytes than asked for, or an error; it never makes the program fail.
pub trait Text: Send + Sync + fmt::Debug {
    /// Length in bytes as known now.
    fn len(&self) -> u64;

    /// Whether there are no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads at `offset` until `buf` is full or the end is reached; says how many bytes were read.
    ///
    /// # Errors
    /// What the operating system or a decompressor reports.
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize>;
}

/// Reads `len` bytes at `offset` into a new buffer; shorter at the end of the text.
///
/// # Errors
/// As `Text::read_at`.
pub fn read_range(text: &dyn Text, offset: u64, len: usize) -> io::Result<Vec<u8>> {
    let available = text.len().saturating_sub(offset).min(len as u64) as usize;
    let mut buf = vec![0; available];
    let n = text.read_at(offset, &mut buf)?;
    buf.truncate(n);
    Ok(buf)
}

/// Bytes held in memory; for small things and tests.
#[derive(Debug, Default)]
pub struct MemoryText(pub Vec<u8>);

impl Text for MemoryText {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        let start = usize::try_from(offset)
            .unwrap_or(usize::MAX)
            .min(self.0.len());
        let n = buf.len().min(self.0.len() - start);
        buf[..n].copy_from_slice(&self.0[start..start + n]);
        Ok(n)
    }
}
