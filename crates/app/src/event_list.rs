//! State of the events view besides its rows: cursor, display options, time selection and followed
//! value.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_query::{Expr, Field, Selection};
use widetui_session::context_lines::ContextWindow;
use widetui_session::record_search::SevereRows;
use widetui_session::record_texts::Place;

use super::cursor_memory::CursorMemory;
use super::jumps::Jumps;
use widetui_tables::list::List;

/// End of the time selection that a nudge moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectionEdge {
    /// Start.
    Start,
    /// End.
    End,
    /// Both ends.
    Both,
}

/// Time selection that is not yet a step of the selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeSelection {
    /// First time, UTC ns.
    pub from: i64,
    /// Last time, UTC ns; not before the first.
    pub to: i64,
    /// End that was set last.
    pub edge: SelectionEdge,
}

/// Key or entity of the last pivot, with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastPivot {
    /// Keys that must have equal values, the most specific first (a worker has a number and a
    /// manager). Empty if the record itself has none of these keys.
    pub fields: Vec<Field>,
    /// Short label.
    pub label: String,
    /// Expression that selects the records with the value.
    pub expr: Expr,
    /// Value, as displayed.
    pub value: String,
}

/// Highlighted records, which share a value; the list is not filtered.
#[derive(Clone, Debug)]
pub struct Highlight {
    /// Key and value.
    pub same: LastPivot,
    /// Matching records and the number of matching rows; `None` until known.
    pub fits: Option<(Arc<Selection>, usize)>,
}

/// Times since the previous record with the same value, for the rows on the screen.
#[derive(Clone, Debug, Default)]
pub struct SameValueSteps {
    /// Range of rows that was requested.
    pub(crate) asked: Range<usize>,
    /// Known times in ns, by record; `None` for the first record with its value.
    pub known: FxHashMap<Place, Option<i64>>,
}

/// Position that the cursor keeps when a new snapshot arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum CursorAnchor {
    /// First row: the cursor was not moved yet.
    #[default]
    First,
    /// Last row: the run is still going on and the cursor was not moved yet.
    Last,
    /// Record under the cursor.
    Record,
}

/// State and display options of the list of events, besides its rows.
#[derive(Clone, Debug, Default)]
pub struct EventList {
    /// Cursor and window.
    pub list: List,
    /// Position that the cursor keeps when a new snapshot arrives.
    pub anchor: CursorAnchor,
    /// Number of columns by which messages are scrolled to the left.
    pub left: usize,
    /// Whether long messages are wrapped in the list.
    pub wrap: bool,
    /// Records that are shown with all their lines.
    pub expanded: Vec<Place>,
    /// Context lines that are shown.
    pub context: Option<ContextWindow>,
    /// Time selection.
    pub time_selection: Option<TimeSelection>,
    /// Bar of the overview where the mouse button was pressed.
    pub dragged_from: Option<usize>,
    /// Time range of the overview, UTC ns; `None` for the whole run.
    pub zoom: Option<(i64, i64)>,
    /// Number of bars in the last request for the overview.
    pub bins: Option<usize>,
    /// Key and value of the last pivot.
    pub same: Option<LastPivot>,
    /// Highlighted records.
    pub highlight: Option<Highlight>,
    /// Times since the previous record with the same value.
    pub steps: SameValueSteps,
    /// Rows with warnings or errors; `None` until known.
    pub severe: Option<SevereRows>,
    /// Rows of the marked records, ascending.
    pub marks: Vec<u32>,
    /// Whether the rows are partial results of a running search.
    pub is_partial: bool,
    /// Step of the breadcrumb under its cursor; 0 is `all`.
    pub breadcrumb_step: usize,
    /// Index of the key under the cursor of the record pane.
    pub key: usize,
    /// Last record under the cursor, and its time; kept while the list is empty.
    pub(crate) last: Option<(Place, i64)>,
    /// Jump list.
    pub(crate) jumps: Jumps,
    /// Cursor positions in other selections.
    pub(crate) cursor_memory: CursorMemory,
    /// Last search, for display.
    pub(crate) last_search: String,
}
