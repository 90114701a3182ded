//! State of the view of findings: findings, expanded finding and cursor.

use std::sync::Arc;

use widetui_diagnosis::Stage;
use widetui_session::findings::Findings;
use widetui_session::selection::SelectionStep;
use widetui_store::Snapshot;

use widetui_tables::list::List;
use widetui_tables::row_search::RowSearch;

/// Position of the cursor in the view of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingCursor {
    /// Finding, by index.
    Finding(usize),
    /// Evidence record: index of the finding, and index of the record.
    Evidence(usize, usize),
    /// Line of the conclusion.
    Words(usize),
}

impl FindingCursor {
    /// Index of the finding that contains the position.
    pub fn finding(self) -> Option<usize> {
        match self {
            FindingCursor::Finding(at) | FindingCursor::Evidence(at, _) => Some(at),
            FindingCursor::Words(_) => None,
        }
    }
}

/// State of the search for findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FindingSearch {
    /// No search is running.
    #[default]
    Idle,
    /// Search is running; its current stage.
    Running(Option<Stage>),
    /// The user cancelled the search.
    GivenUp,
}

/// Findings of the run, and the cursor among them.
#[derive(Clone, Debug)]
pub struct FindingState {
    /// Result of the last search.
    pub found: Option<Arc<Findings>>,
    /// Snapshot and selection of the last request.
    pub(crate) asked: Option<(Arc<Snapshot>, Vec<SelectionStep>)>,
    /// State of the search.
    pub(crate) search: FindingSearch,
    /// Position of the cursor.
    pub spot: FindingCursor,
    /// Index of the expanded finding: the last one under the cursor.
    pub(crate) open: usize,
    /// Whether all findings are collapsed to one line.
    pub(crate) is_folded: bool,
    /// Line of the cursor, and the window.
    pub list: List,
    /// Cursor, expanded finding and window to restore when the findings are known.
    pub(crate) returning: Option<(FindingCursor, usize, List)>,
    /// Text search in the findings.
    pub(crate) text: RowSearch,
}

impl FindingState {
    /// Index of the item under the cursor, counting findings and then lines of the conclusion.
    pub fn place(&self) -> usize {
        let found = self.found.as_ref();
        let findings = found.map_or(0, |f| f.diagnosis.findings.len());
        match self.spot {
            FindingCursor::Finding(at) | FindingCursor::Evidence(at, _) => at,
            FindingCursor::Words(line) => findings + line,
        }
    }
}

impl Default for FindingState {
    fn default() -> Self {
        FindingState {
            found: None,
            asked: None,
            search: FindingSearch::Idle,
            spot: FindingCursor::Finding(0),
            open: 0,
            is_folded: false,
            list: List { cursor: 0, top: 0 },
            returning: None,
            text: RowSearch::default(),
        }
    }
}
