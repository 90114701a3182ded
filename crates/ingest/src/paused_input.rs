//! Standard input that paused while it was loaded.

use std::sync::Arc;

use widetui_core::ids::SourceId;
use widetui_source::spool::SpoolText;

use crate::detector::Log;
use crate::stream::{Patient, Pieces};
use crate::unframed_stream::Opened;

/// Standard input that paused when it was loaded.
#[derive(Debug)]
pub(super) struct PausedInput {
    pub(crate) id: SourceId,
    /// How it is read.
    pub(crate) log: Log,
    /// Where its text is kept.
    pub(crate) text: Arc<SpoolText>,
    pub(crate) pieces: Pieces<Opened<Patient>>,
    /// Bytes of its start that were looked at to find out how it is read.
    pub(crate) looked: u64,
}
