//! Lines that are made of something else (rows, columns, blocks): what stands between who makes them and who reads them.

/// About so many bytes are made at a time.
const BLOCK: usize = 64 * 1024;

/// Lines that were made, and how far they were read.
#[derive(Debug, Default)]
pub(super) struct Made {
    /// The lines made last.
    pub(crate) lines: Vec<u8>,
    used: usize,
    is_done: bool,
}

impl Made {
    /// Whether more must be made before anything can be read.
    pub(crate) fn is_read(&self) -> bool {
        self.used == self.lines.len() && !self.is_done
    }

    /// Makes room for more: what was made has been read.
    pub(crate) fn clear(&mut self) {
        self.lines.clear();
        self.used = 0;
    }

    /// Whether there is room for another line, and something to make it of.
    pub(crate) fn has_room(&self) -> bool {
        self.lines.len() < BLOCK && !self.is_done
    }

    /// There is nothing left to make lines of.
    pub(crate) fn end(&mut self) {
        self.is_done = true;
    }

    /// Gives bytes of the lines, as `Read` does; how many.
    pub(crate) fn give(&mut self, buf: &mut [u8]) -> usize {
        let left = &self.lines[self.used..];
        let n = buf.len().min(left.len());
        buf[..n].copy_from_slice(&left[..n]);
        self.used += n;
        n
    }
}
