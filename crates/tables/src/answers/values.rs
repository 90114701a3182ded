//! Table of the values of a key among selected events, with counts.

use crate::role::Role;
use crate::schema::{Schema, SchemaColumn};
use crate::table::{Cell, Column, PivotValue, Row, Table};
use crate::text::grouped;
use widetui_core::level::Level;
use widetui_core::words::several;
use widetui_definition::key_type::KeyType;
use widetui_query::{EventHistogram, Field, NumberSummary, ValueRow, ValueTable};
use widetui_report::jsonl::json_value;
use widetui_store::Snapshot;

pub(super) fn table(_: &Snapshot, data: ValueTable) -> Table {
    let with: u64 = data.rows.iter().map(|r| r.histogram.events).sum();
    let schema = values();
    let rows: Vec<Row> = data
        .rows
        .iter()
        .map(|r| row(&schema, &data, r, with.max(1) as f64))
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
    Table::new(schema.columns(), rows, "no selected event has this key").with_note(note)
}

/// Value of a field, and its share of all values.
pub struct ValueLine<'a> {
    /// Field.
    pub field: &'a Field,
    /// Value.
    pub value: &'a str,
    /// Type of the field.
    pub kind: KeyType,
    /// Number of records.
    pub events: u64,
    /// Share of the records with a value.
    pub share: f64,
    /// Histogram of the records; only the explorer has it, as it costs memory for each value.
    pub histogram: Option<&'a EventHistogram>,
}

type Col<'a> = SchemaColumn<ValueLine<'a>>;

/// Columns of the values of a key, on the screen and in the output of `widetui keys --key`.
pub fn values<'a>() -> Schema<ValueLine<'a>> {
    Schema::from(vec![
        Col::nested("value", |line| {
            (json_value(line.kind, line.value), line.value.to_owned())
        })
        .cell(|line| {
            let level = match line.field {
                Field::Level => Level::parse(line.value.as_bytes()),
                _ => None,
            };
            let text = line.value.to_owned();
            match level {
                Some(Level::Error | Level::Critical) => Cell::Styled(text, Role::ErrorText),
                Some(Level::Warning) => Cell::Styled(text, Role::WarningText),
                _ => Cell::Text(text),
            }
        })
        .layout(|c| c.between(12, 100).role(Role::Value)),
        Col::count("events", |line| line.events),
        Col::share("share", |line| line.share).layout(|c| c.rank(2).role(Role::Muted)),
        Col::drawn(Column::bar("", 24).between(6, 24).rank(1), |line| {
            Cell::Bar(line.share)
        }),
        Col::drawn(
            Column::spark("over time").between(12, 60).rank(3),
            |line| match line.histogram {
                Some(histogram) => Cell::Spark(histogram.over_time.as_slice().into()),
                None => Cell::Empty,
            },
        ),
        Col::drawn(Column::time("first").rank(4), |line| {
            Cell::time(line.histogram.and_then(|h| h.first))
        }),
        Col::drawn(Column::time("last").rank(5), |line| {
            Cell::time(line.histogram.and_then(|h| h.last))
        }),
    ])
}

fn row<'a>(
    schema: &Schema<ValueLine<'a>>,
    data: &'a ValueTable,
    row: &'a ValueRow,
    with: f64,
) -> Row {
    let line = ValueLine {
        field: &data.field,
        value: &row.value,
        kind: KeyType::Text,
        events: row.histogram.events,
        share: row.histogram.events as f64 / with,
        histogram: Some(&row.histogram),
    };
    let pivot = PivotValue {
        field: data.field.clone(),
        label: data.label.clone(),
        value: row.operand.clone(),
        shown: row.value.clone(),
    };
    Row::new(row.value.clone(), schema.cells(&line)).pivoting([pivot])
}
