//! What the view of the events keeps besides its rows: the cursor, how rows are shown, the brush, the value that is followed.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_query::{Expr, Field, Selection};
use widetui_session::context_lines::ContextWindow;
use widetui_session::record_search::Severe;
use widetui_session::record_texts::Place;

use super::jumps::Jumps;
use super::spots::Spots;
use widetui_tables::list::List;

/// Which end of the brush a nudge moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// The start.
    Start,
    /// The end.
    End,
    /// Both.
    Both,
}

/// A stretch of time that was marked, and is not yet part of the selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brush {
    /// Its first time, UTC ns.
    pub from: i64,
    /// Its last time, UTC ns; not before the first.
    pub to: i64,
    /// What was set last.
    pub edge: Edge,
}

/// The key that was last pivoted on, or the kind of things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastPivot {
    /// What must be the same, what tells most first: a worker has its number and its manager. Empty where it is none of the
    /// record's own keys.
    pub fields: Vec<Field>,
    /// A short word for it.
    pub label: String,
    /// The record has the value.
    pub expr: Expr,
    /// The value, as it is shown.
    pub value: String,
}

/// Records that are marked because they share a value; nothing is filtered.
#[derive(Clone, Debug)]
pub struct Highlight {
    /// The value.
    pub same: LastPivot,
    /// Which records, once it is known, and how many of the rows.
    pub fits: Option<(Arc<Selection>, usize)>,
}

/// How long before the rows on screen there was a record with the same value.
#[derive(Clone, Debug, Default)]
pub struct SameSteps {
    /// The rows that were asked for.
    pub asked: Range<usize>,
    /// What is known, ns; none for the first record with its value.
    pub known: FxHashMap<Place, Option<i64>>,
}

/// What the cursor keeps to while better snapshots come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum CursorAnchor {
    /// The first row: nobody has moved yet.
    #[default]
    First,
    /// The last row: the run is alive and nobody has moved yet.
    Last,
    /// The record under it.
    Record,
}

/// How the list of events is shown, besides which rows are in it.
#[derive(Clone, Debug, Default)]
pub struct EventList {
    /// Its cursor and its window.
    pub list: List,
    /// What the cursor keeps to.
    pub anchor: CursorAnchor,
    /// Columns of the messages scrolled out to the left.
    pub left: usize,
    /// Whether long messages are wrapped in the list.
    pub wrap: bool,
    /// Records that are shown with all their lines.
    pub unfolded: Vec<Place>,
    /// Neighbours that are shown.
    pub context: Option<ContextWindow>,
    /// The brush.
    pub brush: Option<Brush>,
    /// The stretch of the strip where the mouse was pressed.
    pub dragged_from: Option<usize>,
    /// What the strip shows, UTC ns; nothing for the whole run.
    pub zoom: Option<(i64, i64)>,
    /// How many bars of the strip were asked for last.
    pub bins: Option<usize>,
    /// The key that was last pivoted on.
    pub same: Option<LastPivot>,
    /// What is marked.
    pub highlight: Option<Highlight>,
    /// Steps to the record before with the same value.
    pub steps: SameSteps,
    /// Rows that are warnings or errors; nothing while they are not known.
    pub severe: Option<Severe>,
    /// Rows of the marked records, ascending.
    pub marks: Vec<u32>,
    /// Whether the rows are only what was found so far.
    pub is_early: bool,
    /// Which step of the trail is under its cursor; 0 is `all`.
    pub trail: usize,
    /// Which key of the record pane is under its cursor.
    pub key: usize,
    /// Where the cursor was while there were rows: its record, and its time.
    pub last: Option<(Place, i64)>,
    /// Where it was before it jumped.
    pub jumps: Jumps,
    /// Where the cursor was in other selections.
    pub spots: Spots,
    /// What is being looked for, in words.
    pub sought: String,
}
