//! Buffer of lines derived from other formats (rows, columns, blocks), between their producer and their reader.

use std::io::{self, Read};

/// Approximate size of the buffer, bytes.
const BUFFER: usize = 64 * 1024;

/// Derived lines and the position up to which they were read.
#[derive(Debug, Default)]
pub(super) struct DerivedLines {
    /// Derived lines in the buffer.
    pub(crate) lines: Vec<u8>,
    used: usize,
    is_done: bool,
}

impl DerivedLines {
    /// Whether all buffered lines were read and more can be derived.
    pub(crate) fn is_read(&self) -> bool {
        self.used == self.lines.len() && !self.is_done
    }

    /// Empties the buffer.
    pub(crate) fn clear(&mut self) {
        self.lines.clear();
        self.used = 0;
    }

    /// Whether there is room for another line and the input has not ended.
    pub(crate) fn has_room(&self) -> bool {
        self.lines.len() < BUFFER && !self.is_done
    }

    /// Marks the end of the input.
    pub(crate) fn end(&mut self) {
        self.is_done = true;
    }

    /// Copies bytes to `buf` as `Read::read` does.
    pub(crate) fn copy_to(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let mut left = self.lines.get(self.used..).unwrap_or_default();
        let n = left.read(buf)?;
        self.used += n;
        Ok(n)
    }
}
