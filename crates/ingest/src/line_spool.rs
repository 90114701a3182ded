//! Lines that are taken out of a stream of several sources, kept in the spool as the text of one of them.

use std::io::{self, Read};
use std::sync::Arc;

use widetui_source::spool::{BLOCK, Spool, SpoolText};
use widetui_source::text::Text;

/// The lines of one source as they come.
#[derive(Debug)]
pub(super) struct LetterText {
    /// What is kept of them.
    pub(crate) text: Arc<SpoolText>,
    /// What is not kept yet, and where that begins.
    block: Vec<u8>,
    offset: u64,
    /// Bytes that there was no room for.
    pub(crate) lost: u64,
}

impl LetterText {
    pub(crate) fn new(spool: &Arc<Spool>) -> LetterText {
        LetterText {
            text: Arc::new(SpoolText::new(spool.clone())),
            block: Vec::new(),
            offset: 0,
            lost: 0,
        }
    }

    /// Bytes that came so far.
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

    /// All that has come so far is kept, for now: more will come.
    pub(crate) fn pause(&mut self) {
        self.lost += self.text.keep_for_now(self.offset, &self.block);
    }

    /// All has come.
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

/// A text from its start to its end.
pub(super) struct Whole<'a> {
    text: &'a Arc<dyn Text>,
    at: u64,
}

impl Whole<'_> {
    pub fn of(text: &Arc<dyn Text>) -> Whole<'_> {
        Whole { text, at: 0 }
    }
}

impl Read for Whole<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.text.read_at(self.at, buf)?;
        self.at += n as u64;
        Ok(n)
    }
}
