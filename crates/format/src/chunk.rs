//! Stretches of a source in which records start, and what stands behind them.

use crate::messages::continuation_lines::AHEAD;

/// What a chunk is and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// Whole lines (the last may lack its end at the end of the source).
    pub text: &'a [u8],
    /// Byte of the source at which `text` starts.
    pub offset: u64,
    /// Whether this is the start of the source.
    pub first: bool,
    /// What the source has behind `text`: `further::AHEAD` bytes of it, or all. Records that start there are not of this chunk;
    /// a record at its end goes on there.
    pub after: &'a [u8],
    /// Whether more may be written behind `after`.
    pub behind: Behind,
}

/// Whether what is known of a source is all that a record at its end will ever have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Behind {
    /// It is read as if nothing came any more.
    #[default]
    Nothing,
    /// The source grows: a record to which lines may come that say more of it is left for later.
    More,
}

/// What stands below the first line of a record.
#[derive(Clone, Copy)]
pub(crate) struct Below<'a> {
    /// In the chunk.
    pub(crate) lines: &'a [u8],
    /// Behind the chunk.
    pub after: &'a [u8],
    pub behind: Behind,
}

impl Below<'_> {
    /// The bytes that are looked at.
    pub(crate) fn ahead(&self) -> Vec<u8> {
        let mut rest = self.lines[..self.lines.len().min(AHEAD)].to_vec();
        rest.extend_from_slice(&self.after[..self.after.len().min(AHEAD - rest.len())]);
        rest
    }
}

/// What became of a record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It was read.
    Read,
    /// What will be written below it may say more.
    Open,
}
