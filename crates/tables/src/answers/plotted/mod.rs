//! Tables of the views with plots over time, and their plots.

pub mod account;
pub mod counts;
pub mod dag;
pub mod flow;
pub mod latency;
mod marked;
mod row_names;
pub mod series;
pub mod spans;
pub mod states;
pub mod throughput;
mod timed;
mod timeline;

use counts::RowGroups;
pub use flow::status_of;
use latency::LatencySteps;
pub(super) use row_names::cut_of;

use rustc_hash::FxHashMap;
use serde_json::{Map, Value as Json};

use crate::plots::PlotCurve;
use crate::role::Role;
use crate::schema::SchemaColumn;
use crate::table::{Cell, Column, PivotValue, Row, RowAction, Table, TableSubject};
use widetui_analysis::Instances;
use widetui_analysis::entity::Instance;
use widetui_analysis::entity::names::format_places;
use widetui_analysis::spans::Span;
use widetui_analysis::summary::Summary;
use widetui_core::words::last_part;
use widetui_ingest::clocks::{self, ClockOffset};
use widetui_query::Field;
use widetui_report::figure::{Figure, Spread, TimeOrigin};
use widetui_report::sheet::{Sheet, id_object};
use widetui_session::plots::{EntityInstances, FlowBy, PlotData};
use widetui_store::Snapshot;
use widetui_time::time::format_span;

/// Lays out the answer of a plot.
pub(crate) fn table(snapshot: &Snapshot, data: PlotData) -> Table {
    let about = about(&data);
    Table {
        subject: about,
        ..laid_out(snapshot, data)
    }
}

/// Numbers of a plot as a table, and its figure; `None` without data to draw.
pub fn contents(snapshot: &Snapshot, data: PlotData) -> (Sheet, Option<Figure>) {
    // CSV has no text of times.
    let sheet = sheet(snapshot, &data, |_| String::new());
    (sheet, figure(snapshot, data))
}

/// Figure of a plot, with the remarks of its table; `None` without data to draw.
pub fn figure(snapshot: &Snapshot, data: PlotData) -> Option<Figure> {
    let table = laid_out(snapshot, data);
    let mut figure = table.figure.filter(|figure| !figure.is_empty())?;
    if figure.note.is_empty() {
        figure.note = table.note;
    }
    Some(figure)
}

/// Heading of a column of distributions of durations.
const SPREAD: &str = "█p50 ▒p95 ╌max ◆mean";

/// Entity of an answer; `None` if the plot is not about instances.
fn about(data: &PlotData) -> Option<TableSubject> {
    let of = match data {
        PlotData::Timeline(data) => &data.of,
        PlotData::States(data) => &data.of,
        PlotData::Latency(data) => &data.of,
        PlotData::Throughput(data) => &data.of,
        PlotData::Slowest(of, _)
        | PlotData::Account { of, .. }
        | PlotData::Spent(of, _)
        | PlotData::Spans { of, .. }
        | PlotData::Dag(of, _) => of,
        _ => return None,
    };
    let resource = match data {
        PlotData::Timeline(data) => data.resource.as_ref(),
        _ => None,
    };
    Some(TableSubject {
        entity: of.entity.name.clone(),
        resource: resource.map(|c| c.name.clone()),
    })
}

/// Text of a plot without an entity that begins or ends.
const NOTHING_BEGINS: &str = "no record here reports a begin, a state change or an end, so there is nothing to draw. \
    Events, keys, templates and numbers over time need no definition; begins and ends come from a definition: D in the list of sources (9) drafts one";

fn laid_out(snapshot: &Snapshot, data: PlotData) -> Table {
    match data {
        PlotData::Empty => Table::new(Vec::new(), Vec::new(), NOTHING_BEGINS),
        PlotData::States(data) => states::table(snapshot, &data),
        PlotData::Timeline(data) => timeline::table(*data),
        PlotData::Latency(data) => {
            let clocks = clocks::find_offsets(snapshot.sources.iter().map(|s| &**s));
            latency::table(&data, clocks.first())
        }
        PlotData::Slowest(found, slowest) => latency::slowest(snapshot, &found, &slowest),
        PlotData::Spans { of, spans, by } => spans::table(snapshot, &of, &spans, by),
        PlotData::Throughput(data) => throughput::table(snapshot, &data),
        PlotData::Account {
            of,
            sums,
            instance_count,
        } => account::table(&of, instance_count, &sums),
        PlotData::Spent(found, sum) => account::spent(snapshot, &found, sum.as_ref()),
        PlotData::Counts(data) => counts::table(snapshot, &data),
        PlotData::Curves(found) => {
            let figure = series::curves(snapshot, &found);
            let table = Table::new(Vec::new(), Vec::new(), "");
            Table { figure, ..table }
        }
        PlotData::Marked(data) => marked::table(&data),
        PlotData::Series(data) => series::table(&data),
        PlotData::Flow(found, FlowBy::Each) => flow::table(found),
        PlotData::Flow(found, FlowBy::Kind) => flow::kinds(&found),
        PlotData::Dag(of, graph) => dag::table(&of, &graph),
    }
}

/// Numbers of a plot as people read them, with a row for each state, line or group. `moment` formats times.
pub fn summary_sheet(
    snapshot: &Snapshot,
    data: &PlotData,
    moment: impl Fn(i64) -> String,
) -> Sheet {
    match data {
        PlotData::States(data) => {
            let lines = { data.groups.iter() }
                .flat_map(|group| states::final_lines(snapshot, &data.of.entity, group));
            let grouped = RowGroups::of(data.by.is_some(), TimeOrigin::Clock);
            states::final_columns(grouped).sheet(lines, moment)
        }
        PlotData::Counts(data) => {
            let lines = counts::lines(data);
            let rows = lines.iter().map(|line| series::SeriesRow {
                course: PlotCurve {
                    name: line.name(),
                    points: line.point_pairs(),
                    ..PlotCurve::default()
                },
                end: line.points.last().map_or(0, |p| p.time),
                line,
            });
            series::line_columns().sheet(rows, moment)
        }
        PlotData::Series(data) => series::line_columns().sheet(series::rows(data), moment),
        PlotData::Throughput(data) => throughput::sheet(data, moment),
        PlotData::Latency(data) => {
            let steps = LatencySteps::new(data);
            latency::columns(data).sheet(steps.relevant(), moment)
        }
        data => sheet(snapshot, data, moment),
    }
}

/// Numbers of a plot as a table, with the columns of the commands. `moment` formats times in text.
pub fn sheet(snapshot: &Snapshot, data: &PlotData, moment: impl Fn(i64) -> String) -> Sheet {
    match data {
        PlotData::Empty | PlotData::Curves(_) => Sheet::new(Vec::new()),
        PlotData::Counts(data) => {
            let grouped = RowGroups::of(data.by.is_some(), data.origin);
            counts::concurrency_columns(grouped).sheet(counts::group_points(&data.groups), moment)
        }
        PlotData::States(data) => {
            let grouped = RowGroups::of(data.by.is_some(), data.origin);
            counts::state_columns(grouped).sheet(counts::state_points(&data.groups), moment)
        }
        PlotData::Timeline(data) => {
            timeline::bar_columns().sheet(timeline::bars(&data.of, &data.timeline), moment)
        }
        PlotData::Latency(data) => {
            let steps = LatencySteps::new(data);
            latency::columns(data).sheet(steps.steps(), moment)
        }
        PlotData::Slowest(of, data) => {
            latency::slowest_columns().sheet(latency::slow_steps(snapshot, of, data), moment)
        }
        PlotData::Marked(data) if data.by.is_some() => {
            spans::group_columns().sheet(spans::group_lines(&data.spans), moment)
        }
        PlotData::Spans {
            spans, by: Some(_), ..
        } => spans::group_columns().sheet(spans::group_lines(spans), moment),
        PlotData::Spans { of, spans, .. } => {
            let name = |s: &Span| InstanceName::new(snapshot, of, s.subject as usize);
            let name = |s: &Span| name(s).unwrap_or_default();
            spans::spans().sheet(spans::lines(spans, name), moment)
        }
        PlotData::Marked(data) => {
            let names = data.spans.list.iter().map(|s| s.subject).zip(&data.names);
            let names: FxHashMap<u32, &String> = names.collect();
            let name = |s: &Span| {
                let key = data.key.iter().zip(names.get(&s.subject));
                let pairs: Vec<(String, String)> = key
                    .map(|(key, name)| (key.clone(), name.to_string()))
                    .collect();
                InstanceName::value(id_object(snapshot, &pairs), String::new())
            };
            spans::spans().sheet(spans::lines(&data.spans, name), moment)
        }
        PlotData::Throughput(data) => {
            let rows = counts::finished_points(&data.rates);
            counts::concurrency_columns(RowGroups::ByKey).sheet(rows, moment)
        }
        PlotData::Series(data) => {
            let rows = series::values(&data.series, None);
            let grouped = RowGroups::of(true, data.origin);
            series::value_columns(grouped).sheet(rows, moment)
        }
        PlotData::Flow(found, FlowBy::Each) => {
            flow::message_columns().sheet(flow::message_lines(snapshot, &found.flow), moment)
        }
        PlotData::Flow(found, FlowBy::Kind) => {
            flow::kind_columns().sheet(flow::kind_lines(&found.flow), moment)
        }
        PlotData::Dag(of, graph) => dag::node_columns().sheet(dag::node_lines(of, graph), moment),
        PlotData::Account { of, sums, .. } => {
            account::phase_columns(&of.entity.plural()).sheet(account::phase_lines(sums), moment)
        }
        PlotData::Spent(of, sum) => {
            account::spent_columns().sheet(account::spent_lines(snapshot, of, sum.as_ref()), moment)
        }
    }
}

/// Explanation of negative durations by clocks that disagree.
fn clock_note(apart: &ClockOffset) -> String {
    let by = format_span(apart.correction.saturating_abs());
    format!("clocks differ by {by} (--tz={} aligns them)", apart.zone())
}

/// Cell of a duration, ns; unknown if records are out of order, or clocks differ.
fn forward(ns: f64) -> Cell {
    match ns > -1.0 {
        true => Cell::Span(ns.round() as i64),
        false => Cell::Unknown,
    }
}

/// Columns of mean, median, 95th percentile and maximum of durations (ns): fields `PREFIXmean_s` and so on, and the priorities of
/// the last three.
fn summary_columns<R>(
    prefix: &'static str,
    [p50, p95, max]: [u8; 3],
    of: impl Fn(&R) -> Option<Summary> + Copy + 'static,
) -> [SchemaColumn<R>; 4] {
    let column = |name: &'static str, rank, value: fn(Summary) -> f64| {
        SchemaColumn::mean(format!("{prefix}{name}_s"), move |row| of(row).map(value))
            .heading(name)
            .cell(move |row| of(row).map(value).map_or(Cell::Unknown, forward))
            .layout(|c| c.rank(rank))
    };
    [
        column("mean", 0, |s| s.mean),
        column("p50", p50, |s| s.p50),
        column("p95", p95, |s| s.p95),
        column("max", max, |s| s.max),
    ]
}

/// Names of an instance in a row about it.
#[derive(Default)]
pub struct InstanceName {
    id: Map<String, Json>,
    title: String,
    label: Option<String>,
    places: String,
    /// True if the instance failed.
    has_failed: bool,
}

impl InstanceName {
    /// Names of an instance, by its index in the list.
    pub fn new(snapshot: &Snapshot, found: &EntityInstances, at: usize) -> Option<InstanceName> {
        let instance = found.list.get(at)?;
        Some(InstanceName {
            id: id_object(snapshot, &found.id(snapshot, instance)),
            title: found.title(instance),
            label: found.label(snapshot, instance),
            places: format_places(&found.places(snapshot, instance)),
            has_failed: found.has_failed(instance, &found.standing(snapshot, instance)),
        })
    }

    /// Name without an instance: a value of a key, or no key.
    pub fn value(id: Map<String, Json>, title: String) -> InstanceName {
        InstanceName {
            id,
            title,
            ..InstanceName::default()
        }
    }
}

/// Columns that name an instance: its id in text, JSON lines and CSV, its name on the screen; and its label.
pub(super) fn instance_columns<R>(
    of: impl Fn(&R) -> &InstanceName + Copy + 'static,
) -> [SchemaColumn<R>; 3] {
    [
        SchemaColumn::object("id", move |row| of(row).id.clone()).in_text(),
        SchemaColumn::drawn(Column::text("which").between(8, 40), move |row| {
            Cell::Text(of(row).title.clone())
        }),
        SchemaColumn::text("label", move |row| of(row).label.clone())
            .heading("what")
            .layout(|c| c.between(6, 30).rank(2).role(Role::Value)),
    ]
}

/// Column of the places of an instance, on the screen.
fn places_column<R>(rank: u8, of: impl Fn(&R) -> &InstanceName + 'static) -> SchemaColumn<R> {
    let column = Column::text("where").between(10, 90).rank(rank);
    SchemaColumn::drawn(column.role(Role::Muted), move |row| {
        Cell::Text(of(row).places.clone())
    })
}

/// Cell of a summary as a bar; `most` is the full length, ns.
fn spread(summary: Option<&Summary>, most: f64) -> Cell {
    match summary.filter(|_| most > 0.0) {
        Some(summary) => Cell::Spread(shares(summary, most)),
        None => Cell::Empty,
    }
}

/// Summary as shares of a full length, ns.
fn shares(s: &Summary, most: f64) -> Spread {
    Spread {
        mean: s.mean / most,
        p50: s.p50 / most,
        p95: s.p95 / most,
        max: s.max / most,
    }
}

/// Row about an instance, by its index in the list: Enter selects its records.
fn instance_row(
    snapshot: &Snapshot,
    instances: &EntityInstances,
    at: usize,
    cells: Vec<Cell>,
) -> Option<Row> {
    let step = instances.step(at)?;
    let pivots = instance_pivots(snapshot, instances, instances.list.get(at)?);
    let row = Row::new(step.label.clone(), cells).with_pivots(pivots);
    Some(row.with_action(RowAction::Filter(step.into())))
}

/// Pivots of a row about an instance: the parts of its id, the innermost first.
fn instance_pivots(
    snapshot: &Snapshot,
    instances: &Instances,
    instance: &Instance,
) -> Vec<PivotValue> {
    let id = instances.id(snapshot, instance).into_iter().rev();
    id.map(|(key, value)| PivotValue::key(Field::key(&key), last_part(&key), value))
        .collect()
}
