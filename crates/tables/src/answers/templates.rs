//! Table of templates with counts, times and sources.

use crate::role::Role;
use crate::table::{Cell, Column, PivotValue, Row, Table};
use widetui_core::level::Level;
use widetui_core::words::several;
use widetui_query::{Field, TemplateRow, TemplateTable};
use widetui_store::Snapshot;

/// Maximum number of sources named in a cell.
const NAMES: usize = 3;

pub(super) fn table(snapshot: &Snapshot, data: TemplateTable) -> Table {
    let all = data.events.max(1) as f64;
    let rows = data
        .rows
        .into_iter()
        .filter_map(|r| row(snapshot, r, all))
        .collect();
    let note = several(data.events as usize, "event");
    Table::new(columns(), rows, "no event is selected").with_note(note)
}

fn columns() -> Vec<Column> {
    vec![
        Column::number("events"),
        Column::number("share").rank(3).role(Role::Muted),
        Column::bar("", 16).between(6, 16).rank(4),
        Column::text("L").between(1, 2).rank(1),
        Column::text("template").between(20, 150),
        Column::spark("over time").between(12, 60).rank(2),
        Column::time("first").rank(5),
        Column::time("last").rank(6),
        Column::number("sources").rank(7).role(Role::Muted),
        Column::text("in").between(8, 40).rank(8).role(Role::Muted),
    ]
}

fn row(snapshot: &Snapshot, row: TemplateRow, all: f64) -> Option<Row> {
    let template = snapshot.catalog.templates.get(row.template.index())?;
    let share = row.histogram.events as f64 / all;
    let tags = row.sources.iter().filter_map(|id| snapshot.source(*id));
    let tags = tags.take(NAMES).map(|s| snapshot.source_name(s));
    let mut names: Vec<String> = tags.collect();
    names.dedup();
    let mut names = names.join(", ");
    if row.sources.len() > NAMES {
        names.push_str(", …");
    }
    let role = match row.level {
        Level::Warning => Role::WarningText,
        Level::Error | Level::Critical => Role::ErrorText,
        _ => Role::Text,
    };
    let text = template.text.to_string();
    let pivots = PivotValue::key(Field::Template, "template", text.clone());
    let mut cells = vec![
        Cell::Count(row.histogram.events),
        Cell::Share(share),
        Cell::Bar(share),
        Cell::Level(row.level),
        Cell::Styled(text.clone(), role),
        Cell::Spark(row.histogram.over_time.as_slice().into()),
        Cell::time(row.histogram.first),
        Cell::time(row.histogram.last),
        Cell::Count(row.sources.len() as u64),
        Cell::Text(names),
    ];
    if row.level == Level::Unknown {
        cells[3] = Cell::Empty;
    }
    let mut pivots = vec![pivots];
    if row.level != Level::Unknown {
        pivots.push(PivotValue::key(Field::Level, "level", row.level.name()));
    }
    if let [only] = row.sources[..]
        && let Some(source) = snapshot.source(only)
    {
        pivots.push(PivotValue {
            field: Field::Source,
            label: "source".to_owned(),
            value: source.path.clone(),
            shown: snapshot.source_name(source),
        });
    }
    Some(Row::new(text, cells).pivoting(pivots))
}
