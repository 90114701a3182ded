//! Table of finished instances over time.

use crate::plots::Plot;
use crate::plots::number::short;
use crate::role::Role;
use crate::table::{Cell, Column, PivotValue, Row, RowAction, Table};
use crate::text::grouped;
use widetui_analysis::plot_curve::{drawn_groups, throughput_curves};
use widetui_analysis::step_function::StepFunction;
use widetui_analysis::utilisation::{RateUnit, Throughput};
use widetui_core::words::last_part;
use widetui_query::Field;
use widetui_session::plots::EntityInstances;
use widetui_store::Snapshot;
use widetui_time::time::format_span;

/// Maximum number of listed groups.
const LISTED: usize = 1000;

pub(super) fn table(
    snapshot: &Snapshot,
    found: &EntityInstances,
    (rates, open): (&Throughput, usize),
    by: Option<String>,
) -> Table {
    let plural = found.entity.plural();
    let groups = rates.largest_groups();
    let (first, last) = (rates.times.first(), rates.times.last());
    let elapsed = first.zip(last).map_or(0, |(a, b)| b.saturating_sub(*a));
    let pace = RateUnit::for_rate(rates.times.len(), elapsed);
    let rows = groups.iter().take(LISTED);
    let rows = rows.map(|group| row(*group, by.as_deref(), rates.times.len(), elapsed, pace));
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
        groups.len() - drawn_groups(groups.len()),
        (elapsed, pace),
    ));
    match groups.is_empty() {
        true => table,
        false => {
            // The count is zero before the first end.
            let start = snapshot.range().map_or(0, |r| r.0).saturating_sub(1);
            let title = format!("{plural} finished per {}", pace.name);
            table.with_plot(title, Plot::Stacked(throughput_curves(rates, start, pace)))
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

fn row(
    (name, steps): (&str, &StepFunction),
    by: Option<&str>,
    all: usize,
    elapsed: i64,
    pace: RateUnit,
) -> Row {
    let count = steps.points.last().map_or(0, |p| p.1);
    let count = usize::try_from(count).unwrap_or_default();
    let share = count as f64 / all.max(1) as f64;
    let key = by.filter(|_| !name.is_empty());
    let pivots = key.map(|key| PivotValue::key(Field::named(key), last_part(key), name.to_owned()));
    let shown = match (by, name) {
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
            Cell::time(steps.points.first().map(|p| p.0)),
            Cell::time(steps.points.last().map(|p| p.0)),
        ],
        action: match pivots {
            Some(_) => RowAction::Pivot,
            None => RowAction::Nothing,
        },
        pivots: pivots.into_iter().collect(),
        is_faint: by.is_some() && name.is_empty(),
    }
}
