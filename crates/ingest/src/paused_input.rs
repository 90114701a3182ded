//! Standard input that paused while it was loaded.

use std::sync::Arc;

use widetui_core::ids::SourceId;
use widetui_source::spool::SpoolText;

use crate::stream_pieces::TimeoutReader;

/// Standard input of which more may come.
#[derive(Debug)]
pub(super) struct PausedInput {
    pub(crate) id: SourceId,
    /// Text so far.
    pub(crate) text: Arc<SpoolText>,
    pub(crate) rest: TimeoutReader,
}
