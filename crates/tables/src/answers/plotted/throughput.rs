//! Table of finished instances over time.

use crate::plots::number::short;
use crate::plots::{Plot, PlotCurve, Tone};
use crate::role::Role;
use crate::table::{Cell, Column, PivotValue, Row, RowAction, Table};
use crate::text::grouped;
use widetui_analysis::series::SeriesKind;
use widetui_analysis::utilisation::{RateUnit, Throughput};
use widetui_core::words::last_part;
use widetui_query::Field;
use widetui_session::plots::EntityInstances;
use widetui_store::Snapshot;
use widetui_time::time::format_span;

/// Maximum number of groups with a curve of their own; all others share one.
const MOST: usize = 7;
/// Maximum number of listed groups.
const LISTED: usize = 1000;

/// Group of instances by the value of a key.
struct Group<'a> {
    name: &'a str,
    /// (time in UTC ns, number finished by then) pairs.
    points: &'a [(i64, i64)],
}

impl Group<'_> {
    fn count(&self) -> i64 {
        self.points.last().map_or(0, |p| p.1)
    }
}

pub(super) fn table(
    snapshot: &Snapshot,
    found: &EntityInstances,
    (rates, open): (&Throughput, usize),
    by: Option<String>,
) -> Table {
    let plural = found.entity.plural();
    let mut groups: Vec<Group<'_>> = { rates.groups.iter().zip(&rates.finished) }
        .map(|(name, steps)| Group {
            name,
            points: &steps.points,
        })
        .collect();
    groups.sort_by(|a, b| b.count().cmp(&a.count()).then(a.name.cmp(b.name)));
    let (first, last) = (rates.times.first(), rates.times.last());
    let elapsed = first.zip(last).map_or(0, |(a, b)| b.saturating_sub(*a));
    let pace = RateUnit::for_rate(rates.times.len(), elapsed);
    let rows = groups.iter().take(LISTED);
    let rows = rows.map(|group| row(group, by.as_deref(), rates.times.len(), elapsed, pace));
    let table = Table::new(
        columns(pace),
        rows.collect(),
        "no instance here is known to have finished",
    )
    .with_title(match &by {
        Some(key) => format!("finished by {key}"),
        None => "finished in all".to_owned(),
    })
    .with_note(note(
        &plural,
        (rates.times.len(), open),
        groups.len() - drawn(groups.len()),
        (elapsed, pace),
    ));
    match groups.is_empty() {
        true => table,
        false => {
            // The count is zero before the first end.
            let start = snapshot.range().map_or(0, |r| r.0).saturating_sub(1);
            let title = format!("{plural} finished per {}", pace.name);
            table.with_plot(title, Plot::Stacked(curves(&groups, start, pace)))
        }
    }
}

fn note(
    plural: &str,
    (count, open): (usize, usize),
    drawn_as_one: usize,
    (elapsed, pace): (i64, RateUnit),
) -> String {
    let mut note = format!("{} {plural}", grouped(count as u64));
    if let Some(rate) = pace.rate(count, elapsed) {
        let (elapsed, rate) = (format_span(elapsed), short(rate));
        note = format!("{note} in {elapsed} · {rate} per {}", pace.name);
    }
    if drawn_as_one > 0 {
        note = format!("{note} · the last {drawn_as_one} drawn as one");
    }
    if open > 0 {
        note = format!("{note} · {} did not finish", grouped(open as u64));
    }
    note
}

/// Number of groups with a curve of their own; a single remaining group has one too.
fn drawn(groups: usize) -> usize {
    match groups {
        n if n > MOST + 1 => MOST,
        n => n,
    }
}

/// Cumulative counts of finished instances; plots show their growth.
fn curves(groups: &[Group<'_>], start: i64, pace: RateUnit) -> Vec<PlotCurve> {
    let curve = |name: &str, points: Vec<(i64, f64)>| PlotCurve {
        name: name.to_owned(),
        points: std::iter::once((start, 0.0)).chain(points).collect(),
        tone: Tone::Position,
        kind: SeriesKind::Counter,
        rate_unit_s: pace.seconds,
        end: None,
    };
    let own = drawn(groups.len());
    let floats = |g: &Group<'_>| g.points.iter().map(|p| (p.0, p.1 as f64)).collect();
    let mut out: Vec<PlotCurve> = groups[..own]
        .iter()
        .map(|g| curve(named(g.name), floats(g)))
        .collect();
    let rest = &groups[own..];
    if !rest.is_empty() {
        let floats: Vec<Vec<(i64, f64)>> = rest.iter().map(floats).collect();
        let all = widetui_analysis::series::sum_gauges(floats.iter().map(|points| &points[..]));
        out.push(curve(&format!("{} others", rest.len()), all));
    }
    out
}

fn named(name: &str) -> &str {
    match name {
        "" => "finished",
        name => name,
    }
}

fn columns(pace: RateUnit) -> Vec<Column> {
    let rate = match pace.name {
        "second" => "per second",
        "minute" => "per minute",
        _ => "per hour",
    };
    vec![
        Column::text("of").between(8, 60).role(Role::Value),
        Column::number("finished"),
        Column::number("share").rank(3).role(Role::Muted),
        Column::bar("", 30).between(6, 30).rank(4),
        Column::number(rate),
        Column::time("first").rank(1),
        Column::time("last").rank(2),
    ]
}

fn row(group: &Group<'_>, by: Option<&str>, all: usize, elapsed: i64, pace: RateUnit) -> Row {
    let count = usize::try_from(group.count()).unwrap_or_default();
    let share = count as f64 / all.max(1) as f64;
    let key = by.filter(|_| !group.name.is_empty());
    let pivots =
        key.map(|key| PivotValue::key(Field::named(key), last_part(key), group.name.to_owned()));
    let shown = match (by, group.name) {
        (Some(_), "") => "(none)",
        (None, _) => "all",
        (_, name) => name,
    };
    Row {
        name: shown.to_owned(),
        cells: vec![
            Cell::Text(shown.to_owned()),
            Cell::Count(count as u64),
            Cell::Share(share),
            Cell::Bar(share),
            Cell::number(pace.rate(count, elapsed)),
            Cell::time(group.points.first().map(|p| p.0)),
            Cell::time(group.points.last().map(|p| p.0)),
        ],
        action: match pivots {
            Some(_) => RowAction::Pivot,
            None => RowAction::Nothing,
        },
        pivots: pivots.into_iter().collect(),
        is_faint: by.is_some() && group.name.is_empty(),
    }
}
