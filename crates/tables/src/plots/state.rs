//! What the views that draw over time keep: about what they are, and the moment under their cursor.

use std::sync::Arc;

use crate::drawing::Drawing;
use widetui_analysis::account::TimeReason;
use widetui_analysis::overview::{Curve, CurveSubject};
use widetui_analysis::slowest::MeasuredStep;
use widetui_session::plots::{ColourBy, LinesBy, Mark, PairBy, RowsBy, SpanMarks};
use widetui_session::selection::SelectionStep;

/// Where somebody is in a view that draws over time. What is shown of the time, and the brush, are those of the
/// events (`EventList`).
#[derive(Clone, Debug, Default)]
pub struct PlotState {
    /// The kind of things (dotted name); `None` for the one that fits best.
    pub entity: Option<String>,
    /// By what the rows of the timeline are made.
    pub rows_by: RowsBy,
    /// What the colours of the timeline say.
    pub colour: ColourBy,
    /// The key by which steps are told apart.
    pub steps_by: Option<String>,
    /// The key by which spans are told apart.
    pub spans_by: Option<String>,
    /// Where spans start and end, when they are not those of things.
    pub marks: MarkedEnds,
    /// Which end belongs to which start.
    pub pair_by: PairBy,
    /// The number that is drawn.
    pub key: Option<String>,
    /// What tells its lines apart.
    pub key_by: LinesBy,
    /// What took the things long that are shown.
    pub step: Option<SlowIn>,
    /// The moment under the cursor, UTC ns; `None`: that of the record under the cursor of the events.
    pub moment: Option<i64>,
    /// The curves that the user wants under the strip; `None` for those that say most.
    pub curves: Option<Vec<CurveSubject>>,
    /// The curves under the strip.
    pub drawn: Arc<[Curve]>,
    /// What of them stands in the columns of the strip.
    pub columns: CurveColumns,
    /// The state of the selection (`Model::epoch`) that they were asked for.
    pub epoch: u64,
    /// Of how many records they were asked for.
    pub asked_of: usize,
    /// Of which selection they were asked for.
    pub steps: Vec<SelectionStep>,
    /// How many of them were asked for.
    pub most: usize,
    /// Whether they are being computed.
    pub is_asked: bool,
}

/// The values of curves in the columns of a picture. A curve may have millions of points: they are gone through when the curves
/// or the columns change, not for each frame.
#[derive(Clone, Debug, Default)]
pub struct CurveColumns {
    of: Arc<[Curve]>,
    range: (i64, i64),
    count: usize,
    values: Vec<Vec<Option<f64>>>,
}

impl CurveColumns {
    /// Of these curves, in so many columns over a range of time, UTC ns.
    pub fn new(of: Arc<[Curve]>, range: (i64, i64), count: usize) -> CurveColumns {
        let values = of.iter().map(|c| c.columns_over(range, count)).collect();
        CurveColumns {
            of,
            range,
            count,
            values,
        }
    }

    /// Whether they are those of these curves in these columns.
    pub fn is_of(&self, of: &Arc<[Curve]>, range: (i64, i64), count: usize) -> bool {
        Arc::ptr_eq(&self.of, of) && (self.range, self.count) == (range, count)
    }

    /// The values of each curve, a column each.
    pub fn values(&self) -> &[Vec<Option<f64>>] {
        &self.values
    }
}

/// What things are slow in, where those that are slowest in it are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SlowIn {
    /// A step.
    Step(MeasuredStep),
    /// What their time went to: why, and in words.
    Phase(TimeReason, String),
}

/// Records that the user marked as starts and as ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkedEnds {
    /// The starts.
    pub start: Option<Mark>,
    /// The ends.
    pub end: Option<Mark>,
}

impl MarkedEnds {
    /// Both, when there are both.
    pub fn both(&self) -> Option<SpanMarks> {
        Some(SpanMarks {
            start: self.start.clone()?,
            end: self.end.clone()?,
        })
    }
}

/// What can be chosen for the views that draw over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlotChoice {
    /// They are about this kind of things (dotted name).
    Entity(String),
    /// Rows of the timeline.
    Rows(RowsBy),
    /// What tells the lines of a number apart.
    Lines(LinesBy),
    /// The key that tells spans apart; `None` for nothing.
    Spans(Option<String>),
    /// The key that tells steps apart; `None` for nothing.
    Steps(Option<String>),
    /// Which end belongs to which start of what was marked.
    Pair(PairBy),
    /// What the colours of the timeline say.
    Colour(ColourBy),
    /// The key whose numbers are drawn.
    Number(String),
    /// With what pictures are drawn.
    Drawing(Drawing),
    /// One more curve under the strip.
    Add(CurveSubject),
    /// One curve less.
    Drop(CurveSubject),
}
