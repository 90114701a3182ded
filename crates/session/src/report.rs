//! Reports of a selection: the question, which the layers above answer with a document.

use std::sync::Arc;

use widetui_core::cancel::Cancel;
use widetui_report::document::Document;
use widetui_store::Snapshot;
use widetui_time::zone::Zone;

use super::meaning::Meaning;
use super::rows::Rows;
use super::selection::SelectionStep;

/// Report to write.
#[derive(Clone, Debug)]
pub struct ReportRequest {
    /// Selected records.
    pub rows: Rows,
    /// Steps that selected them.
    pub steps: Vec<SelectionStep>,
    /// Compiled definitions.
    pub meaning: Arc<Meaning>,
    /// Zone of times.
    pub zone: Zone,
    /// Present time on the clock of the logs, UTC ns, if the run is being written.
    pub now: Option<i64>,
    /// Name of the run.
    pub run: String,
    /// Command line that writes the same.
    pub command: String,
}

/// Function that makes the document of a report; `None` if cancelled.
pub type ReportMaker = fn(&Snapshot, &ReportRequest, &Cancel) -> Option<Document>;
