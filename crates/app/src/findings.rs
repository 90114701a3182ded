//! What the view of what is wrong keeps: the findings, which of them is unfolded, where its cursor is.

use std::sync::Arc;

use widetui_diagnosis::findings::Stage;
use widetui_session::findings::Findings;
use widetui_session::selection::SelectionStep;
use widetui_store::Snapshot;

use widetui_tables::list::List;
use widetui_tables::row_search::RowSearch;

/// A line that the cursor can be on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// A finding.
    Finding(usize),
    /// An event that shows a finding: the finding, the number of the event.
    Evidence(usize, usize),
    /// A line of the closing words.
    Words(usize),
}

impl Spot {
    /// The finding that it is part of.
    pub fn finding(self) -> Option<usize> {
        match self {
            Spot::Finding(at) | Spot::Evidence(at, _) => Some(at),
            Spot::Words(_) => None,
        }
    }
}

/// Whether somebody looks for what is wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FindingSearch {
    /// Nobody.
    #[default]
    Idle,
    /// Somebody does; what is looked at now.
    Running(Option<Stage>),
    /// The user gave it up.
    GivenUp,
}

/// The findings of the run, and where somebody is in them.
#[derive(Clone, Debug)]
pub struct FindingState {
    /// What was found last.
    pub found: Option<Arc<Findings>>,
    /// In which run, and among the records of which selection.
    pub asked: Option<(Arc<Snapshot>, Vec<SelectionStep>)>,
    /// Whether a search is going on.
    pub search: FindingSearch,
    /// Where the cursor is.
    pub spot: Spot,
    /// The finding that it was on last: that one is unfolded.
    pub open: usize,
    /// Whether all findings are folded to a line.
    pub is_folded: bool,
    /// Its line, and the window.
    pub list: List,
    /// What is searched for in them.
    pub text: RowSearch,
}

impl FindingState {
    /// The place of the cursor, where findings and closing words are counted from above.
    pub fn place(&self) -> usize {
        let found = self.found.as_ref();
        let findings = found.map_or(0, |f| f.diagnosis.findings.len());
        match self.spot {
            Spot::Finding(at) | Spot::Evidence(at, _) => at,
            Spot::Words(line) => findings + line,
        }
    }
}

impl Default for FindingState {
    fn default() -> Self {
        FindingState {
            found: None,
            asked: None,
            search: FindingSearch::Idle,
            spot: Spot::Finding(0),
            open: 0,
            is_folded: false,
            list: List { cursor: 0, top: 0 },
            text: RowSearch::default(),
        }
    }
}
