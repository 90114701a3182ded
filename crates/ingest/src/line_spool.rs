//! Spooled text for the lines of one source within a stream of several.

use std::io;
use std::sync::Arc;

use widetui_source::spool::{BLOCK, Spool, SpoolText};
use widetui_source::text::{Text, read_range};

/// Text of one source, written line by line.
#[derive(Debug)]
pub(super) struct SpooledLines {
    /// Spooled part of the text.
    pub(crate) text: Arc<SpoolText>,
    /// Text that was not spooled yet; it starts at `offset`.
    block: Vec<u8>,
    offset: u64,
    /// Number of bytes lost for lack of space.
    pub(crate) lost: u64,
}

impl SpooledLines {
    pub(crate) fn new(spool: &Arc<Spool>) -> SpooledLines {
        SpooledLines {
            text: Arc::new(SpoolText::new(spool.clone())),
            block: Vec::new(),
            offset: 0,
            lost: 0,
        }
    }

    /// Goes on with a text that was spooled by others.
    ///
    /// # Errors
    /// The start of its last block cannot be read.
    pub(crate) fn resume(text: Arc<SpoolText>) -> io::Result<SpooledLines> {
        let offset = text.len() / BLOCK as u64 * BLOCK as u64;
        Ok(SpooledLines {
            block: read_range(&*text, offset, BLOCK)?,
            text,
            offset,
            lost: 0,
        })
    }

    /// Total length in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.offset + self.block.len() as u64
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.block.extend_from_slice(bytes);
        let whole = self.block.len() / BLOCK * BLOCK;
        if whole > 0 {
            self.keep(whole);
        }
    }

    /// Spools the complete text so far; more may follow.
    pub(crate) fn pause(&mut self) {
        self.lost += self.text.keep_partial(self.offset, &self.block);
    }

    /// Spools the rest of the text.
    pub(crate) fn end(&mut self) {
        self.keep(self.block.len());
        self.block = Vec::new();
    }

    fn keep(&mut self, bytes: usize) {
        self.lost += self.text.keep(self.offset, &self.block[..bytes]);
        self.block.drain(..bytes);
        self.offset += bytes as u64;
    }
}
