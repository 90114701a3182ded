//! Followed standard input with its reading position.

use std::time::Instant;

use widetui_core::ids::SourceId;
use widetui_format::load::lines::{Chunk, Growth};
use widetui_source::head::HEAD;
use widetui_source::text::Text;

use crate::chunk::PartNumber;
use crate::paused_input::PausedInput;

/// Standard input with its reading position.
pub(super) struct Piped {
    pub(crate) stream: PausedInput,
    pub(crate) has_records: bool,
    /// Number of the next part.
    pub(crate) seq: u32,
    /// Time of the last data.
    pub(crate) grew: Option<Instant>,
}

impl Piped {
    pub(crate) fn new(stream: PausedInput, has_records: bool) -> Piped {
        Piped {
            stream,
            has_records,
            seq: 0,
            grew: None,
        }
    }

    /// Unfinished end of the input, to be shown.
    pub(crate) fn rest(&self) -> (SourceId, u32, &crate::detector::Log, Chunk<'_>) {
        let (text, offset) = self.stream.pieces.unread();
        let chunk = Chunk {
            text: &text[..text.len().min(super::growing::REST)],
            offset,
            first: !self.has_records,
            after: &[],
            growth: Growth::Complete,
        };
        let seq = PartNumber(self.seq + 1).first_part();
        (self.stream.id, seq, &self.stream.log, chunk)
    }

    /// Whether the input has ended.
    pub(crate) fn is_done(&self) -> bool {
        let len = self.stream.text.len().min(HEAD as u64);
        self.stream.pieces.is_done() && self.stream.sampled >= len
    }
}
