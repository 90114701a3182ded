//! Standard input that paused while it was loaded.

use std::sync::Arc;

use widetui_core::ids::SourceId;
use widetui_source::spool::SpoolText;

use crate::detector::Log;
use crate::stream_pieces::{Pieces, TimeoutReader};
use crate::unframed_stream::UnframedReader;

/// Standard input that paused while it was loaded, with the state to continue from.
#[derive(Debug)]
pub(super) struct PausedInput {
    pub(crate) id: SourceId,
    /// Reader and properties of the log.
    pub(crate) log: Log,
    /// Text read so far.
    pub(crate) text: Arc<SpoolText>,
    pub(crate) pieces: Pieces<UnframedReader<TimeoutReader>>,
    /// Number of bytes from which the reader was detected.
    pub(crate) sampled: u64,
}
