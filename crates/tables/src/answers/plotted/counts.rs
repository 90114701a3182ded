//! Numbers of instances over time, by state or group: rows of `states`, `spans --concurrency` and `throughput`, and curves.

use widetui_analysis::plot_curve::group_curves;
use widetui_analysis::series::AxisScale;
use widetui_analysis::spans::Spans;
use widetui_analysis::states::{StateGroup, States};
use widetui_analysis::step_function::StepFunction;
use widetui_analysis::utilisation::Throughput;
use widetui_report::figure::{CurveStyle, Curves, Figure, TimeOrigin};
use widetui_session::plots::GroupCounts;
use widetui_store::Snapshot;

use crate::schema::{Schema, SchemaColumn};

/// Number of instances of a group over time.
#[derive(Clone, Copy, Debug)]
pub struct CountSeries<'a> {
    /// Value of the grouping key; empty without one.
    pub group: &'a str,
    /// State of the instances; empty if they are counted in any state.
    pub state: &'a str,
    /// Start of the run, UTC ns, if times count from there.
    pub start: Option<i64>,
    /// Numbers over time.
    pub steps: &'a StepFunction,
}

impl<'a> CountSeries<'a> {
    fn new(group: &'a str, state: &'a str, steps: &'a StepFunction) -> CountSeries<'a> {
        CountSeries {
            group,
            state,
            start: None,
            steps,
        }
    }

    /// Numbers of instances in each state.
    pub fn of_states(states: &'a States) -> Vec<CountSeries<'a>> {
        let each = states.names.iter().zip(&states.series);
        each.map(|(state, steps)| CountSeries::new("", state, steps))
            .collect()
    }

    /// Numbers of instances in each state, by group.
    pub fn of_state_groups(groups: &'a [StateGroup]) -> Vec<CountSeries<'a>> {
        let each = groups.iter().flat_map(|group| {
            let states = CountSeries::of_states(&group.states).into_iter();
            states.map(|series| CountSeries {
                group: &group.name,
                ..series
            })
        });
        each.collect()
    }

    /// Numbers of spans at once, by group; `steps` in the order of the groups.
    pub fn of_spans(spans: &'a Spans, steps: &'a [StepFunction]) -> Vec<CountSeries<'a>> {
        let each = spans.groups.iter().zip(steps);
        each.map(|(group, steps)| CountSeries::new(group, "", steps))
            .collect()
    }

    /// Numbers of finished instances, by group.
    pub fn of_throughput(rates: &'a Throughput) -> Vec<CountSeries<'a>> {
        let each = rates.groups.iter().zip(&rates.finished);
        each.map(|(group, steps)| CountSeries::new(group, "", steps))
            .collect()
    }
}

/// Number of instances from a moment on.
#[derive(Clone, Copy, Debug)]
pub struct CountPoint<'a> {
    /// Moment, UTC ns.
    time: i64,
    count: i64,
    of: CountSeries<'a>,
}

/// Numbers of all series by time, since the start of the run if they have one.
pub fn points<'a>(series: &[CountSeries<'a>]) -> Vec<CountPoint<'a>> {
    let each = series.iter().flat_map(|of| {
        let steps = of.steps.points.iter();
        steps.map(|(time, count)| CountPoint {
            time: *time,
            count: *count,
            of: *of,
        })
    });
    let mut rows: Vec<CountPoint<'a>> = each.collect();
    // Stable: at one time in the order of the series.
    rows.sort_by_key(|row| row.time.saturating_sub(row.of.start.unwrap_or_default()));
    rows
}

/// Grouping of rows over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowGroups {
    /// None.
    #[default]
    None,
    /// By a key.
    ByKey,
    /// By run, with times since the start of each.
    FromStart,
}

type Col<'a> = SchemaColumn<CountPoint<'a>>;

fn time<'a>() -> Col<'a> {
    Col::time("time", |point| point.time)
}

fn count<'a>() -> Col<'a> {
    Col::count("count", |point| point.count.unsigned_abs())
}

fn group<'a>() -> Col<'a> {
    Col::text("group", |point| point.of.group.to_owned())
}

/// Columns, followed by those that rows in groups have.
fn with_groups<'a>(mut columns: Vec<Col<'a>>, groups: RowGroups) -> Schema<CountPoint<'a>> {
    match groups {
        RowGroups::None => {}
        RowGroups::ByKey => columns.push(group()),
        RowGroups::FromStart => columns.extend([group(), elapsed()]),
    }
    Schema::from(columns)
}

fn elapsed<'a>() -> Col<'a> {
    Col::duration("elapsed_s", |point| {
        Some(point.time.saturating_sub(point.of.start?))
    })
    .heading("elapsed")
}

/// Columns of the output of `widetui states`.
pub fn state_columns<'a>(groups: RowGroups) -> Schema<CountPoint<'a>> {
    let state = Col::text("state", |point| point.of.state.to_owned());
    with_groups(vec![time(), state, count()], groups)
}

/// Columns of the output of `widetui spans --concurrency`.
pub fn concurrency_columns<'a>(groups: RowGroups) -> Schema<CountPoint<'a>> {
    with_groups(vec![time(), count()], groups)
}

/// Columns of the JSON lines and CSV of `widetui throughput`.
pub fn throughput_columns<'a>(groups: RowGroups) -> Schema<CountPoint<'a>> {
    let groups = match groups {
        RowGroups::None => RowGroups::ByKey,
        groups => groups,
    };
    with_groups(vec![time(), count()], groups)
}

/// Figure of the numbers of groups: as areas on one another, or from the starts of runs as lines.
pub(super) fn figure(
    snapshot: &Snapshot,
    title: String,
    plural: &str,
    (groups, origin): (&[GroupCounts], TimeOrigin),
) -> Figure {
    let groups = groups.iter().map(|group| (&*group.name, &group.steps));
    let groups: Vec<(&str, &StepFunction)> = groups.collect();
    let (style, curves) = match origin {
        TimeOrigin::Clock => (CurveStyle::Areas, group_curves(&groups, plural)),
        TimeOrigin::RunStart { .. } => {
            let each = groups
                .iter()
                .flat_map(|group| group_curves(&[*group], plural));
            (CurveStyle::Lines(AxisScale::default()), each.collect())
        }
    };
    let curves = Curves::one(style, plural, curves);
    Figure::of_curves(title, curves, end(snapshot, origin)).with_origin(origin)
}

/// End of the data, UTC ns; `None` if times count from the starts of runs.
pub(super) fn end(snapshot: &Snapshot, origin: TimeOrigin) -> Option<i64> {
    match origin {
        TimeOrigin::Clock => snapshot.range().map(|range| range.1),
        TimeOrigin::RunStart { .. } => None,
    }
}
