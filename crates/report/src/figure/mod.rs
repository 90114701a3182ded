//! Figures: the marks of a plot with title and range, made once from an answer. The terminal draws them in cells, [`crate::svg`]
//! as an image, which pages embed.
//!
//! ```text
//! answer ──layout of its table──> Figure ──┬──> cells of the explorer, and of the text of commands
//!                                          ├──> SVG, in a file or a page
//!                                          └──> DOT, if it is a graph
//! ```
//!
//! Order, folding, names, units and the meaning of colours are part of the figure; a drawing only places its marks.

mod bars;
mod curves;
mod gantt;
mod graph;
mod sequence;

pub use bars::{BarFold, BarMark, BarRow, Bars, Spread};
pub use curves::{CurveStyle, Curves, Panel, tones};
pub use gantt::{ColourDurations, Gantt};
pub use graph::Graph;
pub use sequence::{ArrowClass, Sequence};

use widetui_time::timescale::{TimeTick, duration_ticks, time_ticks};

/// Maximum number of lines in a plot; more are indistinguishable.
pub const MAX_LINES: usize = 8;

/// Plot with its title and range.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Title.
    pub title: String,
    /// Remarks below an image; a screen has them in the title line of its table.
    pub note: String,
    /// Plot.
    pub plot: Plot,
    /// Time range of the data, UTC ns or from the start of the run; `None` without an axis of time.
    pub range: Option<(i64, i64)>,
    /// Origin of the times.
    pub origin: TimeOrigin,
}

impl Figure {
    /// Figure with a plot over no time.
    pub fn new(title: impl Into<String>, plot: Plot) -> Figure {
        Figure {
            title: title.into(),
            note: String::new(),
            plot,
            range: None,
            origin: TimeOrigin::Clock,
        }
    }

    /// Sets the time range of the data, UTC ns.
    #[must_use]
    pub fn over(self, range: Option<(i64, i64)>) -> Figure {
        Figure { range, ..self }
    }

    /// Sets the origin of the times.
    #[must_use]
    pub fn with_origin(self, origin: TimeOrigin) -> Figure {
        Figure { origin, ..self }
    }

    /// True without marks.
    pub fn is_empty(&self) -> bool {
        match &self.plot {
            Plot::Words(sentences) => sentences.is_empty(),
            Plot::Curves(curves) => curves.all().all(|(_, curve)| curve.points.is_empty()),
            Plot::Bars(groups) => groups.iter().all(|group| group.rows.is_empty()),
            Plot::Gantt(gantt) => gantt.lanes.is_empty(),
            Plot::Sequence(sequence) => sequence.arrows.is_empty(),
            Plot::Graph(graph) => graph.drawn.nodes.is_empty(),
        }
    }

    /// Figure of curves over their time, to the end of the data (UTC ns).
    pub fn of_curves(title: impl Into<String>, curves: Curves, end: Option<i64>) -> Figure {
        let range = curves.range(end);
        Figure::new(title, Plot::Curves(curves)).over(range)
    }
}

/// Origin of the times of a figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeOrigin {
    /// Times are UTC.
    #[default]
    Clock,
    /// Times count from the start of each run.
    RunStart {
        /// Number of groups of no run, which are left out.
        left_out: usize,
    },
}

impl TimeOrigin {
    /// Tick marks of a time range in at most `most` steps. `offset` is the clock's offset from UTC at a time, in seconds.
    pub fn ticks(self, range: (i64, i64), most: i64, offset: impl Fn(i64) -> i64) -> Vec<TimeTick> {
        match self {
            TimeOrigin::Clock => time_ticks(range, most, offset),
            TimeOrigin::RunStart { .. } => duration_ticks(range, most),
        }
    }
}

/// Marks of a figure.
#[derive(Clone, Debug, PartialEq)]
pub enum Plot {
    /// Sentences, one below the other.
    Words(Vec<String>),
    /// Curves over time in panels below each other.
    Curves(Curves),
    /// Horizontal bars in groups below each other.
    Bars(Vec<Bars>),
    /// Bars in rows over time.
    Gantt(Box<Gantt>),
    /// Sequence diagram: arrows between actors, one below the other.
    Sequence(Box<Sequence>),
    /// Graph of dependencies.
    Graph(Box<Graph>),
}
