//! Timeline: the lives of one entity's instances as bars, in rows by where they ran.
//!
//! ```text
//! Instances ──timeline──> rows of bars in lanes that do not overlap ──detail──> pieces as wide as columns of the screen
//! ```

mod build;
mod detail;
mod lanes;
mod options;
mod row_order;

pub use build::timeline;
pub use detail::{LanePiece, detail};
pub use lanes::pack;
pub use options::{Colour, Grouping};

/// How a bar ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With its instance.
    Ended,
    /// Its instance was lost.
    Lost,
    /// With its instance, of which its owner saw that it failed.
    Failed,
    /// Not at all: it reaches the end of the data.
    Open,
    /// The instance lives on in another colour.
    Changes,
}

impl Ending {
    /// Whether the instance came to nothing.
    pub fn is_bad(self) -> bool {
        matches!(self, Ending::Lost | Ending::Failed)
    }
}

/// How far an instance came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// It is or was carried out, or nothing is said of that.
    #[default]
    Begun,
    /// It waits to be carried out, and was never.
    Waiting,
}

/// A stretch of the life of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    /// Start, UTC ns.
    pub start: i64,
    /// End, UTC ns.
    pub end: i64,
    /// How it ends.
    pub ending: Ending,
    /// Lane within its row: bars of one lane do not overlap.
    pub lane: u32,
    /// Whose: index into `Instances::list`.
    pub of: u32,
    /// Index into `Timeline::colours`.
    pub colour: u16,
    /// How far its instance came. Where the colours are those of states they say it.
    pub stage: Stage,
}

/// A row: everything that ran in one place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimelineRow {
    /// The place; empty where it is not known.
    pub name: String,
    /// Its parts: the values of `Timeline::keys`, empty where one is not known. None when each instance is a row.
    pub values: Vec<String>,
    /// By start, then lane.
    pub bars: Vec<Bar>,
    /// Lanes that are needed.
    pub lanes: u32,
    /// From when to when there was what carries it all, UTC ns, within the window; `None` where that is not known.
    pub life: Option<(i64, i64)>,
}

/// The lives of an entity's instances.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// By when they begin, those of one outer place together, numbered ones by their numbers; what ran in an unknown place
    /// last.
    pub rows: Vec<TimelineRow>,
    /// The keys whose values name a row; none when each instance is one.
    pub keys: Vec<String>,
    /// What the colours mean; the last, if need be, stands for all others.
    pub colours: Vec<String>,
    /// From the first start to the last end, UTC ns.
    pub range: Option<(i64, i64)>,
    /// Instances without a known start: they are in no row.
    pub unstarted: u64,
    /// Instances that ran in other places than the one that is asked about, and have to do with it all the same: they are in no
    /// row.
    pub elsewhere: u64,
}
