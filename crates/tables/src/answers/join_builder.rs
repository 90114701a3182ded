//! Table of the keys of a run for building a join: each key on the left side, the right side or neither.

use crate::join_draft::{JoinDraft, JoinSide};
use crate::key_rank;
use crate::role::Role;
use crate::table::{Cell, Column, Row, RowAction, Table};
use widetui_query::{Field, KeyRow, KeyTable};
use widetui_store::Snapshot;

/// Lays out the keys of a run for the join builder.
pub(crate) fn table(_: &Snapshot, mut data: KeyTable) -> Table {
    data.rows.retain(|r| r.distinct.is_none_or(|n| n > 0));
    data.rows.sort_by_cached_key(|r| {
        let is_writer = key_rank::writer_index(&r.key).is_some();
        (
            is_writer,
            r.distinct == Some(1),
            !r.identifier,
            r.key.clone(),
        )
    });
    let columns = vec![
        Column::text("in the join")
            .between(11, 18)
            .role(Role::Marker),
        Column::text("key").between(12, 36).role(Role::Key),
        Column::number("events"),
        Column::number("values").rank(1),
        Column::text("most frequent")
            .between(24, 110)
            .role(Role::Muted),
    ];
    let rows = data.rows.into_iter().map(row).collect();
    Table::new(columns, rows, "no event has a key").with_title("new join")
}

fn row(row: KeyRow) -> Row {
    let top: Vec<&str> = row.top.iter().take(6).map(|(v, _)| v.as_str()).collect();
    Row {
        cells: vec![
            Cell::Empty,
            Cell::Text(row.key.clone()),
            Cell::Count(row.events),
            Cell::count(row.distinct),
            Cell::Text(top.join("  ")),
        ],
        action: RowAction::Values(Field::key(&row.key)),
        name: row.key,
        ..Row::default()
    }
}

/// Marks the side of each key of a draft in the table.
pub fn mark(table: &mut Table, draft: &JoinDraft) {
    for row in &mut table.rows {
        let side = match draft.side(&row.name) {
            Some(JoinSide::Left) => Cell::Styled("same".to_owned(), Role::Marker),
            Some(JoinSide::Right) => Cell::Styled("  ⇒ get".to_owned(), Role::StepNow),
            None => Cell::Empty,
        };
        if let Some(cell) = row.cells.first_mut() {
            *cell = side;
        }
    }
}
