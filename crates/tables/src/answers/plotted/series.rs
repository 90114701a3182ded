//! Table of a series: a number over time.

use crate::plots::{Plot, PlotCurve, Tone};
use crate::role::Role;
use crate::table::{Cell, Column, PivotValue, Row, RowAction, Table};
use crate::text::grouped;
use widetui_analysis::series::{AxisScale, MEAN_NOTE, SeriesKind, SeriesLine};
use widetui_core::words::last_part;
use widetui_query::Field;
use widetui_session::plots::SeriesData;

/// Maximum number of listed lines.
const MOST: usize = 1000;

pub(super) fn table(data: &SeriesData) -> Table {
    let mut lines = data.series.lines_by_maximum();
    let left_out = lines.len().saturating_sub(MOST);
    lines.truncate(MOST);
    let range = data.series.range();
    let end = range.map_or(data.until, |r| r.1.max(data.until));
    let rows: Vec<Row> = lines.iter().map(|line| row(data, line, end)).collect();
    let course = |line: &&SeriesLine| PlotCurve {
        name: name(data, line),
        points: line.point_pairs(),
        tone: Tone::Position,
        kind: data.spec.kind,
        end: line.run_end,
        rate_unit_s: 1.0,
    };
    let courses = lines.iter().map(course).collect();
    let points: usize = lines.iter().map(|l| l.points.len()).sum();
    let mut note = format!("{} values", grouped(points as u64));
    for (count, what) in [
        (data.series.not_numeric, "are no numbers"),
        (data.series.untimed, "without a time"),
        (left_out as u64, "lines more"),
    ] {
        if count > 0 {
            note = format!("{note} · {} {what}", grouped(count));
        }
    }
    note = format!("{note} · in means {MEAN_NOTE}");
    let title = match data.by.is_empty() {
        true => "in numbers".to_owned(),
        false => format!("by {}", data.by.join(", ")),
    };
    let empty_text = "no selected record has a number under this key";
    Table::new(columns(), rows, empty_text)
        .with_title(title)
        .with_note(note)
        .with_plot(
            heading(data),
            Plot::Lines(courses, AxisScale::for_series(&data.series, &data.spec)),
        )
}

/// Heading of a series: its key, with the title from its definition.
fn heading(data: &SeriesData) -> String {
    let spec = &data.spec;
    let unit = match (spec.unit.as_str(), spec.kind) {
        ("", SeriesKind::Gauge) => String::new(),
        (unit, SeriesKind::Gauge) => format!(" [{unit}]"),
        (unit, SeriesKind::Counter) => format!(" [{unit}/s]"),
    };
    match spec.title == spec.key {
        true => format!("{}{unit}", spec.key),
        false => format!("{}: {}{unit}", spec.key, spec.title),
    }
}

fn columns() -> Vec<Column> {
    vec![
        Column::text("line").between(8, 60).role(Role::Value),
        Column::number("values"),
        Column::number("last"),
        Column::number("mean").rank(1),
        Column::number("least").rank(2),
        Column::number("most"),
        Column::time("first").rank(3),
        Column::time("until").rank(4),
    ]
}

fn name(data: &SeriesData, line: &SeriesLine) -> String {
    match (data.by.is_empty(), line.name().trim()) {
        (true, _) => last_part(&data.spec.key).to_owned(),
        (false, "") => "(none)".to_owned(),
        (false, name) => name.to_owned(),
    }
}

fn row(data: &SeriesData, line: &SeriesLine, end: i64) -> Row {
    let values = || line.points.iter().map(|p| p.value);
    let (first, last) = (line.points.first(), line.points.last());
    let known = data.by.iter().zip(&line.group).rev();
    let known = known.filter(|(_, value)| !value.is_empty());
    let pivots =
        known.map(|(by, value)| PivotValue::key(Field::named(by), last_part(by), value.clone()));
    let pivots: Vec<PivotValue> = pivots.collect();
    Row {
        name: name(data, line),
        cells: vec![
            Cell::Text(name(data, line)),
            Cell::Count(line.points.len() as u64),
            Cell::number(last.map(|p| p.value)),
            Cell::number(line.mean(end)),
            Cell::number(values().reduce(f64::min)),
            Cell::number(values().reduce(f64::max)),
            Cell::time(first.map(|p| p.time)),
            Cell::time(last.map(|p| p.time)),
        ],
        action: match pivots.is_empty() {
            true => RowAction::Nothing,
            false => RowAction::Pivot,
        },
        pivots,
        is_faint: false,
    }
}
