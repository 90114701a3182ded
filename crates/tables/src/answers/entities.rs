//! The kinds of things that a run is about: how many of each, and how many did not end.

use crate::role::Role;
use crate::table::{Cell, Column, Row, RowGoal, Table};
use widetui_session::instance_table::{EntityRow, EntityTable};
use widetui_store::Snapshot;

pub(super) fn table(_: &Snapshot, data: EntityTable) -> Table {
    let mut rows: Vec<&EntityRow> = data.rows.iter().collect();
    // What is looked for first; the order of the definitions else.
    rows.sort_by_key(|r| !r.entity.is_work_item());
    let note = match data.is_part {
        true => "those that the selected events are about",
        false => "",
    };
    let nothing = "no definition knows these records: D among the sources (9) writes one";
    Table::new(columns(), rows.into_iter().map(row).collect(), nothing).noted(note)
}

fn columns() -> Vec<Column> {
    vec![
        Column::text("kind").between(8, 24).role(Role::Strong),
        Column::number("how many"),
        Column::number("unfinished"),
        Column::number("failed").rank(1),
        Column::number("events").rank(2),
        Column::time("first").rank(4),
        Column::time("last").rank(4),
        Column::text("identified by")
            .between(10, 60)
            .rank(1)
            .role(Role::Key),
        Column::number("whose it is unknown")
            .rank(6)
            .role(Role::Muted),
        Column::text("system").rank(5).role(Role::Muted),
    ]
}

fn row(row: &EntityRow) -> Row {
    let entity = &row.entity;
    let open = match row.open {
        // Nothing says what its end would be.
        None => Cell::Unknown,
        // A worker that stops without a word is no news.
        Some(n) if entity.is_work_item() => Cell::Some(n as u64, Role::WarningText),
        Some(n) => Cell::Some(n as u64, Role::Muted),
    };
    Row {
        name: entity.name.clone(),
        cells: vec![
            Cell::Text(entity.title.clone()),
            Cell::Count(row.instances as u64),
            open,
            Cell::Some(row.failed as u64, Role::ErrorText),
            Cell::Count(row.events),
            Cell::time(row.range.map(|r| r.0)),
            Cell::time(row.range.map(|r| r.1)),
            Cell::Text(row.id.join(", ")),
            Cell::Some(row.undecided, Role::Muted),
            Cell::Text(entity.system.clone()),
        ],
        goal: RowGoal::Instances(entity.name.clone()),
        same: Vec::new(),
        is_faint: false,
    }
}
