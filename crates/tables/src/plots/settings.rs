//! Settings of the views with plots over time, and the time under their cursor.

use std::sync::Arc;

use crate::drawing::Drawing;
use widetui_analysis::account::TimeReason;
use widetui_analysis::overview::{Curve, CurveSubject};
use widetui_analysis::slowest::MeasuredStep;
use widetui_session::plots::{ColourBy, DagFocus, LinesBy, Mark, PairBy, RowsBy, SpanMarks};
use widetui_session::selection::SelectionStep;

/// Settings of the views with plots. The visible time range and the time selection belong to the events (`EventList`).
#[derive(Clone, Debug, Default)]
pub struct PlotSettings {
    /// Choices that going back restores.
    pub choices: PlotChoices,
    /// Marked start and end of spans, in place of the lifetimes of instances.
    pub marks: MarkedEnds,
    /// Time under the cursor, UTC ns; `None` for the time of the selected record.
    pub moment: Option<i64>,
    /// Curves under the overview as chosen by the user; `None` for the default ones.
    pub curves: Option<Vec<CurveSubject>>,
    /// Curves under the overview.
    pub drawn: Arc<[Curve]>,
    /// Values of these curves in the terminal columns of the overview.
    pub columns: CurveColumns,
    /// State of the selection (`Model::epoch`) for which the curves were requested.
    pub epoch: u64,
    /// Number of records for which the curves were requested.
    pub requested_records: usize,
    /// Selection for which the curves were requested.
    pub steps: Vec<SelectionStep>,
    /// Maximum number of curves that was requested.
    pub max_curves: usize,
    /// True while the curves are computed.
    pub is_pending: bool,
}

/// Choices of the user for the views with plots that change what a view shows; going back restores them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotChoices {
    /// Entity (dotted name); `None` for the default one.
    pub entity: Option<String>,
    /// Grouping of the rows of the timeline.
    pub rows_by: RowsBy,
    /// Property that the colours of the timeline show.
    pub colour: ColourBy,
    /// Key that splits the steps of latency.
    pub steps_by: Option<String>,
    /// Key that groups states.
    pub states_by: Option<String>,
    /// Key by which large graphs of dependencies are folded.
    pub dag_by: Option<String>,
    /// Instances whose dependencies are shown, the latest choice last; all if empty.
    pub dag: Vec<DagFocus>,
    /// Key that groups spans.
    pub spans_by: Option<String>,
    /// Pairing of starts with ends.
    pub pairing: PairBy,
    /// Numeric key of the series.
    pub key: Option<String>,
    /// Property that distinguishes the lines of the series.
    pub key_by: LinesBy,
}

/// Values of curves by terminal column. A curve may have millions of points, so the values are computed when the curves
/// or the columns change, not for each frame.
#[derive(Clone, Debug, Default)]
pub struct CurveColumns {
    of: Arc<[Curve]>,
    range: (i64, i64),
    count: usize,
    values: Vec<Vec<Option<f64>>>,
}

impl CurveColumns {
    /// Computes the values of curves in `count` columns over a time range, UTC ns.
    pub fn new(of: Arc<[Curve]>, range: (i64, i64), count: usize) -> CurveColumns {
        let values = of.iter().map(|c| c.columns_over(range, count)).collect();
        CurveColumns {
            of,
            range,
            count,
            values,
        }
    }

    /// Whether the values belong to these curves and columns.
    pub fn is_of(&self, of: &Arc<[Curve]>, range: (i64, i64), count: usize) -> bool {
        Arc::ptr_eq(&self.of, of) && (self.range, self.count) == (range, count)
    }

    /// Values of each curve, one per column.
    pub fn values(&self) -> &[Vec<Option<f64>>] {
        &self.values
    }
}

/// Subject of a list of the slowest instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SlowestSubject {
    /// Step in the life of instances.
    Step(MeasuredStep),
    /// Phase of the account of time: its reason, and its name.
    Phase(TimeReason, String),
}

/// Records that the user marked as starts and ends of spans.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkedEnds {
    /// Start mark.
    pub start: Option<Mark>,
    /// End mark.
    pub end: Option<Mark>,
}

impl MarkedEnds {
    /// Both marks, if both are set.
    pub fn both(&self) -> Option<SpanMarks> {
        Some(SpanMarks {
            start: self.start.clone()?,
            end: self.end.clone()?,
        })
    }
}

/// Choice of the user for the views with plots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlotChoice {
    /// Entity (dotted name).
    Entity(String),
    /// Grouping of the rows of the timeline.
    Rows(RowsBy),
    /// Property that distinguishes the lines of a series.
    Lines(LinesBy),
    /// Key that groups states; `None` for no groups.
    States(Option<String>),
    /// Key that groups spans; `None` for no groups.
    Spans(Option<String>),
    /// Key by which large graphs of dependencies are folded; `None` for the label.
    Dag(Option<String>),
    /// Key that splits steps; `None` for no split.
    Steps(Option<String>),
    /// Pairing of marked starts and ends.
    Pair(PairBy),
    /// Property that the colours of the timeline show.
    Colour(ColourBy),
    /// Numeric key of the series.
    Number(String),
    /// Character set of plots.
    Drawing(Drawing),
    /// Additional curve under the overview.
    Add(CurveSubject),
    /// Curve to remove from under the overview.
    Drop(CurveSubject),
}
