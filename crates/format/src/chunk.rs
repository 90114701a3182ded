//! Chunks of a source, in which records start, and the text that follows them.

use crate::messages::continuation_lines::AHEAD;

/// Piece of a source with its position.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// Whole lines (the last line of the source may lack its end).
    pub text: &'a [u8],
    /// Offset of `text` in the source, bytes.
    pub offset: u64,
    /// Whether the chunk is the start of the source.
    pub first: bool,
    /// Text of the source after `text`: `continuation_lines::AHEAD` bytes, or all that there is. Records that start in it are not
    /// part of this chunk; a record at the end of the chunk continues in it.
    pub after: &'a [u8],
    /// Whether the source may grow beyond `after`.
    pub growth: Growth,
}

/// Whether more text may be appended to a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Growth {
    /// The source is read as if it were complete.
    #[default]
    Complete,
    /// The source grows: a record whose keys may still be completed by further lines is left for later.
    Growing,
}

/// Text after the first line of a record.
#[derive(Clone, Copy)]
pub(crate) struct FollowingText<'a> {
    /// Part of it in the chunk.
    pub(crate) lines: &'a [u8],
    /// Part of it after the chunk.
    pub after: &'a [u8],
    /// Whether the source may grow beyond `after`.
    pub growth: Growth,
}

impl FollowingText<'_> {
    /// The first bytes of it, at most `AHEAD`.
    pub(crate) fn ahead(&self) -> Vec<u8> {
        let all = self.lines.iter().chain(self.after);
        all.take(AHEAD).copied().collect()
    }
}

/// Result of reading a record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It was read.
    Read,
    /// It was not read: the header of another record begins at this offset of its line.
    TwoRecords(usize),
    /// Lines yet to be written may belong to it.
    Incomplete,
}
