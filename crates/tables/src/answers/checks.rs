//! Table of the rules of definitions, with the number of records that violate each.

use crate::role::Role;
use crate::table::{Cell, Column, Row, RowAction, Table};
use crate::text::grouped;
use widetui_core::words::several;
use widetui_session::check_table::{CheckRow, CheckTable};
use widetui_store::Snapshot;

const NOTHING: &str = "no rule of the definitions is about these records. A [[rule]] of a definition says what records of a kind \
    should have, and this view which of them do not (widetui systems)";

pub(super) fn table(_: &Snapshot, data: CheckTable) -> Table {
    let mut rows: Vec<&CheckRow> = data.rows.iter().collect();
    // Most violated rules first; the sort is stable, so unviolated ones keep the order of the definitions.
    rows.sort_by_key(|row| std::cmp::Reverse(row.found.violations));
    let broken = rows.iter().filter(|r| r.found.violations > 0).count();
    let mut note = match (rows.len(), broken) {
        (0, _) => String::new(),
        (_, 0) => "no violations".to_owned(),
        (_, n) => format!("{n} violated"),
    };
    if data.idle > 0 && !rows.is_empty() {
        let idle = several(data.idle, "rule");
        note = format!("{note} · {idle} without matching records");
    }
    let rows = rows.into_iter().map(row).collect();
    Table::new(columns(), rows, NOTHING)
        .with_title("what records should look like")
        .with_note(note)
}

fn columns() -> Vec<Column> {
    vec![
        Column::text("rule").between(20, 60),
        Column::text("of").between(4, 16).rank(4).role(Role::Muted),
        Column::number("records").rank(2),
        Column::number("break it"),
        Column::number("share").rank(1).role(Role::Muted),
        Column::text("the first that does")
            .between(16, 120)
            .rank(3)
            .growing(),
    ]
}

fn row(row: &CheckRow) -> Row {
    let (found, rule) = (&row.found, &row.rule);
    let is_broken = found.violations > 0;
    let share = found.violations as f64 / found.events.max(1) as f64;
    Row {
        name: rule.name.clone(),
        cells: vec![
            match is_broken {
                true => Cell::Styled(rule.name.clone(), Role::WarningText),
                false => Cell::Text(rule.name.clone()),
            },
            Cell::Text(rule.system.clone()),
            Cell::Count(found.events),
            match is_broken {
                true => Cell::Styled(grouped(found.violations), Role::WarningText),
                false => Cell::Text("none".to_owned()),
            },
            match is_broken {
                true => Cell::Share(share),
                false => Cell::Empty,
            },
            row.example.clone().map_or(Cell::Empty, Cell::Text),
        ],
        action: match is_broken {
            true => RowAction::Filter(row.step()),
            false => RowAction::Nothing,
        },
        pivots: Vec::new(),
        is_faint: false,
    }
}
