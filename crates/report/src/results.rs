//! Results of analyses as tables, for commands and for exports of the explorer.

use serde_json::Value as Json;

use widetui_analysis::Instances;
use widetui_analysis::account::PhaseTotal;
use widetui_analysis::latency::Latency;
use widetui_analysis::series::{BinAggregate, Series, SeriesKind, borders};
use widetui_analysis::slowest::SlowestInstances;
use widetui_analysis::spans::{Span, SpanOutcome, Spans};
use widetui_analysis::states::States;
use widetui_analysis::timeline::{Ending, Timeline};
use widetui_analysis::utilisation::Throughput;
use widetui_store::Snapshot;
use widetui_time::time::{format_datetime, format_span};
use widetui_time::zone::Zone;

use super::sheet::{
    Sheet, SheetCell, cell, duration, duration_f, hidden, id_object, id_text, left, log_text,
    moment, number, right, safe, share, time,
};

/// Moment as text, with microseconds.
pub fn clock(zone: &Zone, time: i64) -> String {
    format_datetime(time, zone.offset_at_utc(time), 6)
}

/// Number of instances in each state: one row per change, in time order.
pub fn states(result: &States, zone: &Zone) -> Sheet {
    let mut sheet = Sheet::new(vec![
        left("time", "time"),
        left("state", "state"),
        right("count", "count"),
    ]);
    let mut rows: Vec<(i64, usize, i64)> = Vec::new();
    for (state, steps) in result.series.iter().enumerate() {
        rows.extend(steps.points.iter().map(|(t, n)| (*t, state, *n)));
    }
    rows.sort_unstable();
    for (time, state, n) in rows {
        sheet.push(vec![
            moment(Some(time), |t| clock(zone, t)),
            log_text(&result.names[state]),
            cell(Json::from(n), n.to_string()),
        ]);
    }
    sheet
}

/// Number of finished instances: one row per end, in time order.
pub fn throughput(result: &Throughput, zone: &Zone) -> Sheet {
    let columns = [("time", "time"), ("count", "finished"), ("group", "group")];
    let mut sheet = Sheet::new(columns.map(|(name, heading)| left(name, heading)).into());
    let mut rows: Vec<(i64, usize, i64)> = Vec::new();
    for (group, steps) in result.finished.iter().enumerate() {
        rows.extend(steps.points.iter().map(|(t, n)| (*t, group, *n)));
    }
    rows.sort_unstable();
    for (time, group, n) in rows {
        let time = moment(Some(time), |t| clock(zone, t));
        let name = &result.groups[group];
        sheet.push(vec![
            time,
            cell(Json::from(n), n.to_string()),
            log_text(name),
        ]);
    }
    sheet
}

/// Number of instances in each state at the end.
pub fn states_at_end(result: &States) -> Sheet {
    let mut sheet = Sheet::new(vec![left("state", "state"), right("count", "count")]);
    for (name, n) in result.names.iter().zip(&result.final_counts) {
        if *n > 0 {
            sheet.push(vec![log_text(name), number(*n)]);
        }
    }
    sheet
}

/// Durations: one row per span, named by `name`.
pub fn spans(found: &Spans, name: impl Fn(&Span) -> SheetCell, zone: &Zone) -> Sheet {
    let mut sheet = Sheet::new(vec![
        left("id", "id"),
        left("group", "group"),
        left("start", "start"),
        left("end", "end"),
        right("duration_s", "duration"),
        left("open", ""),
        hidden("lost"),
    ]);
    for span in &found.list {
        let is_open = span.outcome == SpanOutcome::Unfinished;
        let is_lost = span.outcome == SpanOutcome::Lost;
        let end = (!is_open).then_some(span.end);
        let note = match span.outcome {
            SpanOutcome::Unfinished => "open",
            SpanOutcome::Lost => "lost",
            SpanOutcome::Ended => "",
        };
        sheet.push(vec![
            name(span),
            log_text(&found.groups[span.group as usize]),
            moment(Some(span.start), |t| clock(zone, t)),
            moment(end, |t| clock(zone, t)),
            match is_open {
                true => cell(Json::Null, format!("> {}", format_span(span.duration()))),
                false => duration(Some(span.duration())),
            },
            cell(is_open, note),
            cell(is_lost, ""),
        ]);
    }
    sheet
}

/// Account of the time of instances; `plural` is their title.
pub fn account(sums: &[PhaseTotal], plural: &str) -> Sheet {
    let mut sheet = Sheet::new(vec![
        right("total_s", "total"),
        right("share", "share"),
        right("instances", plural),
        right("mean_s", "mean"),
        right("p50_s", "p50"),
        right("p95_s", "p95"),
        right("max_s", "max"),
        hidden("why"),
        left("phase", "phase"),
    ]);
    for phase in sums {
        sheet.push(vec![
            duration_f(Some(phase.per_instance.total)),
            share(phase.share),
            number(phase.instances),
            duration_f(Some(phase.per_instance.mean)),
            duration_f(Some(phase.per_instance.p50)),
            duration_f(Some(phase.per_instance.p95)),
            duration_f(Some(phase.per_instance.max)),
            log_text(phase.reason.name()),
            log_text(&phase.description),
        ]);
    }
    sheet
}

/// Id of an instance, by its index in the list.
pub fn id_cell(snapshot: &Snapshot, found: &Instances, at: usize) -> SheetCell {
    match found.list.get(at) {
        Some(instance) => cell(
            Json::Object(id_object(snapshot, &found.id(snapshot, instance))),
            safe(&id_text(found, snapshot, instance)),
        ),
        None => log_text(""),
    }
}

/// Durations: one row per group.
pub fn durations(found: &Spans) -> Sheet {
    let mut sheet = Sheet::new(vec![
        left("group", "group"),
        right("count", "count"),
        right("open", "open"),
        right("lost", "lost"),
        right("mean_s", "mean"),
        right("p50_s", "p50"),
        right("p95_s", "p95"),
        right("max_s", "max"),
        right("total_s", "total"),
    ]);
    for group in found.summary() {
        let d = group.durations;
        sheet.push(vec![
            log_text(&found.groups[group.group]),
            number(group.count),
            number(group.unfinished),
            number(group.lost),
            duration_f(d.map(|d| d.mean)),
            duration_f(d.map(|d| d.p50)),
            duration_f(d.map(|d| d.p95)),
            duration_f(d.map(|d| d.max)),
            duration_f(d.map(|d| d.total)),
        ]);
    }
    sheet
}

/// Steps; `split` has the names of the keys that split rows.
pub fn latency(result: &Latency, split: &[String]) -> Sheet {
    let mut columns = vec![
        right("offset_mean_s", "offset"),
        right("offset_p50_s", "p50"),
        right("offset_p95_s", "p95"),
        right("offset_max_s", "max"),
        right("step_mean_s", "step"),
        right("step_p50_s", "p50"),
        right("step_p95_s", "p95"),
        right("step_max_s", "max"),
        right("share", "share"),
        hidden("instances"),
        right("occurrence", "nth"),
    ];
    columns.extend(split.iter().map(|name| left(name, name)));
    columns.push(left("template", "template"));
    let mut sheet = Sheet::new(columns);
    for row in &result.rows {
        let (o, s) = (&row.offset, row.step);
        let offset = [o.mean, o.p50, o.p95, o.max].map(|t| duration_f(Some(t)));
        let step = [
            s.map(|s| s.mean),
            s.map(|s| s.p50),
            s.map(|s| s.p95),
            s.map(|s| s.max),
        ];
        let mut cells = Vec::from(offset);
        cells.extend(step.map(duration_f));
        cells.push(share(row.share));
        cells.push(number(row.instances));
        let nth = match row.occurrence {
            1 => String::new(),
            n => n.to_string(),
        };
        cells.push(cell(row.occurrence, nth));
        cells.extend(row.split.iter().map(|v| log_text(v)));
        cells.push(log_text(&row.template));
        sheet.push(cells);
    }
    sheet
}

/// Aggregation of the points of a series.
#[derive(Clone, Copy, Debug)]
pub struct SeriesBins {
    /// Time range, UTC ns.
    pub range: (i64, i64),
    /// Interpolation between points.
    pub kind: SeriesKind,
    /// Number of parts of equal length.
    pub columns: usize,
    /// Aggregate of the points in a part.
    pub aggregate: BinAggregate,
}

/// Number over time: one row per point, or per part of the time.
pub fn series(found: &Series, together: Option<SeriesBins>) -> Sheet {
    let mut sheet = Sheet::new(vec![
        right("time", "time"),
        right("value", "value"),
        left("group", "group"),
    ]);
    let mut rows: Vec<(i64, Option<f64>, String)> = Vec::new();
    for line in &found.lines {
        let group = line.name();
        match together {
            Some(t) => {
                let values = line.bins((t.kind, t.aggregate), t.range, t.columns);
                for (start, value) in borders(t.range, t.columns).zip(values) {
                    rows.push((start, value, group.clone()));
                }
            }
            None => {
                let points = line.points.iter();
                rows.extend(points.map(|p| (p.time, Some(p.value), group.clone())));
            }
        }
    }
    rows.sort_by_key(|r| r.0);
    for (at, value, group) in rows {
        let group = match group.as_str() {
            "" => cell(Json::Null, ""),
            group => log_text(group),
        };
        let value = value.map_or(Json::Null, whole);
        sheet.push(vec![cell(time(Some(at)), ""), cell(value, ""), group]);
    }
    sheet
}

/// JSON number, whole ones without a fraction.
fn whole(value: f64) -> Json {
    match value.fract() == 0.0 && value.abs() < 9e15 {
        true => (value as i64).into(),
        false => value.into(),
    }
}

/// Timeline: one row per bar, by row and start.
pub fn timeline(snapshot: &Snapshot, found: &Instances, data: &Timeline) -> Sheet {
    let mut sheet = Sheet::new(vec![
        left("row", "row"),
        left("id", "id"),
        left("what", "what"),
        left("start", "start"),
        left("end", "end"),
        right("duration_s", "duration"),
        left("ending", "ending"),
    ]);
    for row in &data.rows {
        for bar in &row.bars {
            let is_open = bar.ending == Ending::Unfinished;
            let took = (!is_open).then(|| bar.end.saturating_sub(bar.start));
            let what = data.colours.get(usize::from(bar.colour));
            sheet.push(vec![
                log_text(&row.name),
                id_cell(snapshot, found, bar.instance as usize),
                log_text(what.map_or("", String::as_str)),
                cell(time(Some(bar.start)), ""),
                cell(time((!is_open).then_some(bar.end)), ""),
                duration(took),
                log_text(match bar.ending {
                    Ending::Ended => "ended",
                    Ending::Lost => "lost",
                    Ending::Failed => "failed",
                    Ending::Unfinished => "open",
                    Ending::Continues => "changes",
                }),
            ]);
        }
    }
    sheet
}

/// Instances with time in one phase, the longest first.
pub fn spent(snapshot: &Snapshot, found: &Instances, data: Option<&PhaseTotal>) -> Sheet {
    let mut sheet = Sheet::new(vec![
        left("id", "id"),
        left("label", "label"),
        left("phase", "phase"),
        right("time_s", "time"),
    ]);
    for (data, (at, took)) in data
        .iter()
        .flat_map(|d| d.longest.iter().map(move |l| (d, l)))
    {
        let label = found.list.get(*at);
        let label = label.and_then(|i| found.label(snapshot, i));
        sheet.push(vec![
            id_cell(snapshot, found, *at),
            log_text(&label.unwrap_or_default()),
            log_text(&data.description),
            duration(Some(*took)),
        ]);
    }
    sheet
}

/// Instances with the longest durations of a step.
pub fn slowest(
    snapshot: &Snapshot,
    found: &Instances,
    data: &SlowestInstances,
    zone: &Zone,
) -> Sheet {
    let mut sheet = Sheet::new(vec![
        left("id", "id"),
        left("label", "label"),
        right("step_s", "step"),
        left("time", "time"),
        hidden("template"),
    ]);
    for slow in &data.list {
        let label = found.list.get(slow.instance);
        let label = label.and_then(|i| found.label(snapshot, i));
        sheet.push(vec![
            id_cell(snapshot, found, slow.instance),
            log_text(&label.unwrap_or_default()),
            duration(Some(slow.duration)),
            moment(Some(slow.time), |t| clock(zone, t)),
            log_text(&data.step.step.0),
        ]);
    }
    sheet
}
