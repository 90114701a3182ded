//! Table of the values of a key among selected events, with counts.

use crate::role::Role;
use crate::table::{Cell, Column, PivotValue, Row, RowAction, Table};
use crate::text::grouped;
use widetui_core::level::Level;
use widetui_core::words::several;
use widetui_query::{Field, NumberSummary, ValueRow, ValueTable};
use widetui_store::Snapshot;

pub(super) fn table(_: &Snapshot, data: ValueTable) -> Table {
    let with: u64 = data.rows.iter().map(|r| r.histogram.events).sum();
    let rows: Vec<Row> = data
        .rows
        .iter()
        .map(|r| row(&data, r, with.max(1) as f64))
        .collect();
    let mut note = format!(
        "{} of {}",
        grouped(with.saturating_sub(data.extra_values)),
        several(data.total as usize, "event")
    );
    // With several values in a record, the counts add up to more than the number of records.
    if data.extra_values > 0 {
        note = format!("{note}, some with several values");
    }
    if data.distinct > rows.len() as u64 {
        note = format!("the most frequent of {} · {note}", grouped(data.distinct));
    }
    if let Some(NumberSummary {
        min,
        median,
        p95,
        max,
    }) = data.numbers
    {
        let say = |x: f64| Cell::Number(x).text();
        let (min, median, p95, max) = (say(min), say(median), say(p95), say(max));
        note = format!("{note} · min {min} · median {median} · p95 {p95} · max {max}");
    }
    Table::new(columns(), rows, "no selected event has this key").with_note(note)
}

fn columns() -> Vec<Column> {
    vec![
        Column::text("value").between(12, 100).role(Role::Value),
        Column::number("events"),
        Column::number("share").rank(2).role(Role::Muted),
        Column::bar("", 24).between(6, 24).rank(1),
        Column::spark("over time").between(12, 60).rank(3),
        Column::time("first").rank(4),
        Column::time("last").rank(5),
    ]
}

fn row(data: &ValueTable, row: &ValueRow, with: f64) -> Row {
    let share = row.histogram.events as f64 / with;
    let value = match &data.field {
        Field::Level => match Level::parse(row.value.as_bytes()) {
            Some(Level::Error | Level::Critical) => {
                Cell::Styled(row.value.clone(), Role::ErrorText)
            }
            Some(Level::Warning) => Cell::Styled(row.value.clone(), Role::WarningText),
            _ => Cell::Text(row.value.clone()),
        },
        _ => Cell::Text(row.value.clone()),
    };
    Row {
        name: row.value.clone(),
        cells: vec![
            value,
            Cell::Count(row.histogram.events),
            Cell::Share(share),
            Cell::Bar(share),
            Cell::Spark(row.histogram.over_time.as_slice().into()),
            Cell::time(row.histogram.first),
            Cell::time(row.histogram.last),
        ],
        action: RowAction::Pivot,
        pivots: vec![PivotValue {
            field: data.field.clone(),
            label: data.label.clone(),
            value: row.operand.clone(),
            shown: row.value.clone(),
        }],
        is_faint: false,
    }
}
