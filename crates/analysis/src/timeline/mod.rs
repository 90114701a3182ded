//! Timeline: lifetimes of an entity's instances as bars, in rows by the place where they ran.
//!
//! ```text
//! Instances ──timeline──> rows of bars in non-overlapping lanes ──lane_pieces──> pieces aligned to screen columns
//! ```

mod build;
mod detail;
mod lanes;
mod options;
mod row_order;

pub use build::timeline;
pub use detail::{LanePiece, lane_pieces};
pub use lanes::pack_lanes;
pub use options::{Colour, Grouping};

/// Ending of a bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The instance ended.
    Ended,
    /// The instance was lost.
    Lost,
    /// The instance failed.
    Failed,
    /// The instance has not ended: the bar reaches the end of the data.
    Unfinished,
    /// The instance continues in another colour.
    Continues,
}

impl Ending {
    /// Whether the instance was lost or failed.
    pub fn is_bad(self) -> bool {
        matches!(self, Ending::Lost | Ending::Failed)
    }
}

/// Progress of an unfinished instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Progress {
    /// It was or is executed, or this is unknown.
    #[default]
    Begun,
    /// It waits for execution and was never executed.
    Waiting,
}

/// Bar of a timeline: part of the lifetime of an instance, in one colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    /// Start of the bar, UTC ns.
    pub start: i64,
    /// End of the bar, UTC ns.
    pub end: i64,
    /// Ending of the bar.
    pub ending: Ending,
    /// Lane within its row: bars of one lane do not overlap.
    pub lane: u32,
    /// Instance, as an index into `Instances::list`.
    pub instance: u32,
    /// Colour, as an index into `Timeline::colours`.
    pub colour: u16,
    /// Progress of the instance; always `Begun` if colours show states.
    pub progress: Progress,
}

/// Row of a timeline: all bars of one place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimelineRow {
    /// Name of the place; empty if unknown.
    pub name: String,
    /// Values of `Timeline::keys`, each empty if unknown; no values if each instance is a row.
    pub values: Vec<String>,
    /// Bars by start, then lane.
    pub bars: Vec<Bar>,
    /// Number of lanes, each one line of non-overlapping bars.
    pub lanes: u32,
    /// Lifetime of the row's resource within the window, UTC ns; `None` if unknown.
    pub lifetime: Option<(i64, i64)>,
}

/// Lifetimes of an entity's instances in rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// Rows by begin, rows of one outer place together, numbered places by number; the unknown
    /// place comes last.
    pub rows: Vec<TimelineRow>,
    /// Keys whose values name a row; empty if each instance is a row.
    pub keys: Vec<String>,
    /// Names of the colours; the last may stand for all others.
    pub colours: Vec<String>,
    /// First start and last end, UTC ns.
    pub range: Option<(i64, i64)>,
    /// Number of instances without a known start, which have no row.
    pub unstarted: u64,
    /// Number of related instances that ran in other places than the selected one, which have no
    /// row.
    pub in_other_places: u64,
}
