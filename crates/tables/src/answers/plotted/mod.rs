//! Tables of the views with plots over time, and their plots.

mod account;
mod flow;
mod latency;
mod longest;
mod marked;
mod row_names;
mod series;
mod spans;
mod states;
mod throughput;
mod timeline;

pub use flow::status_of;
pub(super) use row_names::cut_of;

use crate::plots::spread::Spread;
use crate::table::{Cell, PivotValue, Table, TableSubject};
use widetui_analysis::Instances;
use widetui_analysis::entity::Instance;
use widetui_analysis::summary::Summary;
use widetui_core::words::last_part;
use widetui_ingest::clocks::{self, ClockOffset};
use widetui_query::Field;
use widetui_session::plots::{FlowBy, PlotData};
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

/// Entity of an answer; `None` if the plot is not about instances.
fn about(data: &PlotData) -> Option<TableSubject> {
    let (of, carrier) = match data {
        PlotData::Timeline { of, carrier, .. } => (of, carrier.as_ref()),
        PlotData::States(of, _)
        | PlotData::Latency { of, .. }
        | PlotData::Slowest(of, _)
        | PlotData::Account { of, .. }
        | PlotData::Spent(of, _)
        | PlotData::Spans { of, .. }
        | PlotData::Throughput { of, .. } => (of, None),
        PlotData::Empty | PlotData::Series(_) | PlotData::Flow(..) | PlotData::Marked(_) => {
            return None;
        }
    };
    Some(TableSubject {
        entity: of.entity.name.clone(),
        carrier: carrier.map(|c| c.name.clone()),
    })
}

/// Text of a plot without an entity that begins or ends.
const NOTHING_BEGINS: &str = "no record here reports a begin, a state change or an end, so there is nothing to draw. \
    Events, keys, templates and numbers over time need no definition; begins and ends come from a definition: D in the list of sources (9) drafts one";

fn laid_out(snapshot: &Snapshot, data: PlotData) -> Table {
    match data {
        PlotData::Empty => Table::new(Vec::new(), Vec::new(), NOTHING_BEGINS),
        PlotData::States(found, states) => states::table(snapshot, &found, &states),
        PlotData::Timeline {
            of,
            timeline,
            carrier,
            capacity,
        } => {
            let carried_by = carrier.map(|c| (c, capacity));
            timeline::table(of, timeline, carried_by)
        }
        PlotData::Latency {
            of,
            latency,
            stuck,
            by,
        } => {
            let clocks = clocks::find_offsets(snapshot.sources.iter().map(|s| &**s));
            latency::table(&of, (&latency, &stuck), by.as_deref(), clocks.first())
        }
        PlotData::Slowest(found, slowest) => latency::slowest(snapshot, &found, &slowest),
        PlotData::Spans { of, spans, by } => spans::table(snapshot, &of, &spans, by),
        PlotData::Throughput {
            of,
            rates,
            open,
            by,
        } => throughput::table(snapshot, &of, (&rates, open), by),
        PlotData::Account {
            of,
            sums,
            instance_count,
        } => account::table(&of, instance_count, &sums),
        PlotData::Spent(found, sum) => account::spent(snapshot, &found, sum.as_ref()),
        PlotData::Marked(data) => marked::table(&data),
        PlotData::Series(data) => series::table(&data),
        PlotData::Flow(found, FlowBy::Each) => flow::table(found),
        PlotData::Flow(found, FlowBy::Kind) => flow::kinds(&found),
    }
}

/// Explanation of negative durations by clocks that disagree.
fn clock_note(apart: &ClockOffset) -> String {
    let by = format_span(apart.correction.saturating_abs());
    format!("clocks differ by {by} (--tz={} aligns them)", apart.zone())
}

/// Cells of mean, median, 95th percentile and maximum, ns.
fn times(summary: Option<&Summary>) -> [Cell; 4] {
    let cell = |value: fn(&Summary) -> f64| {
        summary.map_or(Cell::Unknown, |s| Cell::Span(value(s).round() as i64))
    };
    [
        cell(|s| s.mean),
        cell(|s| s.p50),
        cell(|s| s.p95),
        cell(|s| s.max),
    ]
}

/// Cell of a summary as a bar; `most` is the full length, ns.
fn spread(summary: Option<&Summary>, most: f64) -> Cell {
    let Some(s) = summary.filter(|_| most > 0.0) else {
        return Cell::Empty;
    };
    Cell::Spread(Spread {
        mean: s.mean / most,
        p50: s.p50 / most,
        p95: s.p95 / most,
        max: s.max / most,
    })
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
