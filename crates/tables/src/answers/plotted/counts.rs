//! Numbers of instances over time, by state or group: rows of `states`, `spans --concurrency` and `throughput`, and curves.

use widetui_analysis::plot_curve::group_curves;
use widetui_analysis::series::{AxisScale, SeriesLine};
use widetui_analysis::states::StateGroup;
use widetui_analysis::step_function::StepFunction;
use widetui_analysis::utilisation::Throughput;
use widetui_report::figure::{CurveStyle, Curves, Figure, TimeOrigin};
use widetui_session::plots::{CountData, GroupCounts};
use widetui_store::Snapshot;

use crate::schema::{Schema, SchemaColumn};
use crate::table::Table;

/// Number of instances of a group over time.
#[derive(Clone, Copy, Debug)]
struct CountSeries<'a> {
    /// Value of the grouping key; empty without one.
    group: &'a str,
    /// State of the instances; empty if they are counted in any state.
    state: &'a str,
    /// Start of the run, UTC ns, if times count from there.
    start: Option<i64>,
    /// Numbers over time.
    steps: &'a StepFunction,
}

/// Number of instances from a moment on.
#[derive(Clone, Copy, Debug)]
pub struct CountPoint<'a> {
    /// Moment, UTC ns, or time since the start of the run.
    time: i64,
    count: i64,
    of: CountSeries<'a>,
}

/// Numbers of all series by time.
fn points<'a>(series: impl Iterator<Item = CountSeries<'a>>) -> Vec<CountPoint<'a>> {
    let each = series.flat_map(|of| {
        let steps = of.steps.points.iter();
        steps.map(move |(time, count)| CountPoint {
            time: *time,
            count: *count,
            of,
        })
    });
    let mut rows: Vec<CountPoint<'a>> = each.collect();
    // Stable: at one time in the order of the series.
    rows.sort_by_key(|row| row.time);
    rows
}

/// Numbers of instances in each state by time.
pub(super) fn state_points<'a>(groups: &'a [StateGroup]) -> Vec<CountPoint<'a>> {
    let each = |group: &'a StateGroup| {
        let StateGroup {
            name,
            start,
            states,
        } = group;
        let states = states.names.iter().zip(&states.series);
        states.map(move |(state, steps)| CountSeries {
            group: name,
            state,
            start: *start,
            steps,
        })
    };
    points(groups.iter().flat_map(each))
}

/// Numbers of instances of each group by time.
pub(super) fn group_points(groups: &[GroupCounts]) -> Vec<CountPoint<'_>> {
    points(groups.iter().map(|group| CountSeries {
        group: &group.name,
        state: "",
        start: group.start,
        steps: &group.steps,
    }))
}

/// Numbers of finished instances of each group by time.
pub(super) fn finished_points(rates: &Throughput) -> Vec<CountPoint<'_>> {
    let each = rates.groups.iter().zip(&rates.finished);
    points(each.map(|(group, steps)| CountSeries {
        group,
        state: "",
        start: None,
        steps,
    }))
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

impl RowGroups {
    /// Grouping of a plot by a key, or by run from the starts of runs.
    pub(super) fn of(is_grouped: bool, origin: TimeOrigin) -> RowGroups {
        match (origin, is_grouped) {
            (TimeOrigin::RunStart { .. }, _) => RowGroups::FromStart,
            (TimeOrigin::Clock, true) => RowGroups::ByKey,
            (TimeOrigin::Clock, false) => RowGroups::None,
        }
    }
}

type Col<'a> = SchemaColumn<CountPoint<'a>>;

fn time<'a>() -> Col<'a> {
    Col::time("time", |point| {
        point
            .time
            .saturating_add(point.of.start.unwrap_or_default())
    })
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
    Col::duration("elapsed_s", |point| point.of.start.map(|_| point.time)).heading("elapsed")
}

/// Columns of the output of `widetui states`.
pub fn state_columns<'a>(groups: RowGroups) -> Schema<CountPoint<'a>> {
    let state = Col::text("state", |point| point.of.state.to_owned());
    with_groups(vec![time(), state, count()], groups)
}

/// Columns of the output of `widetui spans --concurrency` and `widetui throughput`.
pub fn concurrency_columns<'a>(groups: RowGroups) -> Schema<CountPoint<'a>> {
    with_groups(vec![time(), count()], groups)
}

/// Lines of the numbers of groups over time.
pub(super) fn lines(data: &CountData) -> Vec<SeriesLine> {
    let line = |group: &GroupCounts| {
        let name = match group.name.as_str() {
            "" => data.plural.clone(),
            name => name.to_owned(),
        };
        SeriesLine::from_steps(vec![name], &group.steps)
    };
    data.groups.iter().map(line).collect()
}

/// Table with the figure of the numbers of groups: as areas on one another, or from the starts of runs as lines.
pub(super) fn table(snapshot: &Snapshot, data: &CountData) -> Table {
    let CountData { plural, what, .. } = data;
    let groups = data.groups.iter().map(|group| (&*group.name, &group.steps));
    let groups: Vec<(&str, &StepFunction)> = groups.collect();
    let (style, curves) = match data.origin {
        TimeOrigin::Clock => (CurveStyle::Areas, group_curves(&groups, plural)),
        TimeOrigin::RunStart { .. } => {
            let each = groups
                .iter()
                .flat_map(|group| group_curves(&[*group], plural));
            (CurveStyle::Lines(AxisScale::default()), each.collect())
        }
    };
    let title = match &data.by {
        Some(by) => format!("{plural} {what} by {by}"),
        None => format!("{plural} {what}"),
    };
    let curves = Curves::one(style, plural, curves);
    let figure = Figure::of_curves(title, curves, end(snapshot, data.origin));
    Table::new(Vec::new(), Vec::new(), "").with_figure(figure.with_origin(data.origin))
}

/// End of the data, UTC ns; `None` if times count from the starts of runs.
pub(super) fn end(snapshot: &Snapshot, origin: TimeOrigin) -> Option<i64> {
    match origin {
        TimeOrigin::Clock => snapshot.range().map(|range| range.1),
        TimeOrigin::RunStart { .. } => None,
    }
}
