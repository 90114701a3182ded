//! Standard input that is followed.

use std::time::Instant;

use widetui_core::ids::SourceId;

use crate::container::Container;
use crate::line_spool::SpooledLines;
use crate::load_context::LoadContext;
use crate::paused_input::PausedInput;
use crate::source_entries::trouble;
use crate::standard_input::broke_off;
use crate::stream_pieces::TimeoutReader;

/// Standard input, whose text is spooled as it comes.
pub(crate) struct Piped {
    pub(crate) id: SourceId,
    pub(crate) rest: TimeoutReader,
    pub(crate) lines: SpooledLines,
    pub(crate) container: Option<Container>,
    /// Time of the last data.
    pub(crate) grew: Option<Instant>,
    pub(crate) is_ended: bool,
    /// True if it was examined since it became quiet.
    pub(crate) is_settled: bool,
}

impl Piped {
    /// Goes on with standard input that was loaded; `None`, with a problem of its source, if its text cannot be read again.
    pub(crate) fn new(paused: PausedInput, shared: &LoadContext) -> Option<Piped> {
        match SpooledLines::resume(paused.text) {
            Ok(lines) => Some(Piped {
                id: paused.id,
                rest: paused.rest,
                lines,
                container: None,
                grew: None,
                is_ended: false,
                is_settled: false,
            }),
            Err(error) => {
                trouble(shared, paused.id, None, broke_off(&error));
                None
            }
        }
    }

    /// True if the input has ended, and was read completely.
    pub(crate) fn is_done(&self) -> bool {
        self.is_ended && self.is_settled
    }
}
