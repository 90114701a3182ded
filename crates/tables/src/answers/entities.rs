//! Table of the entities of a run, with the number of instances and of unfinished ones.

use crate::role::Role;
use crate::schema::{self, SchemaColumn, SchemaValue, Shown, plain};
use crate::table::{Column, Row, RowAction, Table};
use widetui_session::instance_table::{EntityRow, EntityTable};
use widetui_store::Snapshot;

/// Columns of entities, on the screen and in the output of `widetui entities`.
pub const ENTITIES: &[SchemaColumn<EntityRow>] = &[
    SchemaColumn {
        field: "entity",
        heading: "entity",
        shown: Shown::Everywhere,
        column: |heading| Column::text(heading).between(8, 32).role(Role::Strong),
        value: |row| SchemaValue::Text(row.entity.name.clone()),
        role: plain,
    },
    SchemaColumn {
        field: "title",
        heading: "title",
        shown: Shown::Nowhere,
        column: Column::text,
        value: |row| SchemaValue::Text(row.entity.title.clone()),
        role: plain,
    },
    SchemaColumn {
        field: "instances",
        heading: "instances",
        shown: Shown::Everywhere,
        column: Column::number,
        value: |row| SchemaValue::Count(row.instances as u64),
        role: plain,
    },
    SchemaColumn {
        field: "unfinished",
        heading: "unfinished",
        shown: Shown::Everywhere,
        column: Column::number,
        // Unknown if no definition states an end.
        value: |row| match row.open {
            Some(n) => SchemaValue::Count(n as u64),
            None => SchemaValue::Unknown,
        },
        // Workers stop without a record in healthy runs, so only unfinished work items stand out.
        role: |row| {
            Some(match row.entity.is_work_item() {
                true => Role::WarningText,
                false => Role::Muted,
            })
        },
    },
    SchemaColumn {
        field: "failed",
        heading: "failed",
        shown: Shown::Everywhere,
        column: |heading| Column::number(heading).rank(1),
        value: |row| SchemaValue::Count(row.failed as u64),
        role: |_| Some(Role::ErrorText),
    },
    SchemaColumn {
        field: "events",
        heading: "events",
        shown: Shown::Everywhere,
        column: |heading| Column::number(heading).rank(2),
        value: |row| SchemaValue::Count(row.events),
        role: plain,
    },
    SchemaColumn {
        field: "first",
        heading: "first",
        shown: Shown::Screen,
        column: |heading| Column::time(heading).rank(4),
        value: |row| SchemaValue::time(row.range.map(|r| r.0)),
        role: plain,
    },
    SchemaColumn {
        field: "last",
        heading: "last",
        shown: Shown::Screen,
        column: |heading| Column::time(heading).rank(4),
        value: |row| SchemaValue::time(row.range.map(|r| r.1)),
        role: plain,
    },
    SchemaColumn {
        field: "keys",
        heading: "keys",
        shown: Shown::Everywhere,
        column: |heading| {
            Column::text(heading)
                .between(10, 60)
                .rank(1)
                .role(Role::Key)
        },
        value: |row| SchemaValue::Texts(row.id.clone()),
        role: plain,
    },
    SchemaColumn {
        field: "undecided",
        heading: "unassigned",
        shown: Shown::Screen,
        column: |heading| Column::number(heading).rank(6).role(Role::Muted),
        value: |row| SchemaValue::Count(row.undecided),
        role: |_| Some(Role::Muted),
    },
    SchemaColumn {
        field: "system",
        heading: "system",
        shown: Shown::Screen,
        column: |heading| Column::text(heading).rank(5).role(Role::Muted),
        value: |row| SchemaValue::Text(row.entity.system.clone()),
        role: plain,
    },
];

pub(super) fn table(_: &Snapshot, data: EntityTable) -> Table {
    let note = match data.is_part {
        true => "named by the selected events",
        false => "",
    };
    let empty_text =
        "no definition describes these records: D in the list of sources (9) drafts one";
    let rows = data.rows.iter().map(|row| Row {
        name: row.entity.name.clone(),
        cells: schema::cells(ENTITIES, row),
        action: RowAction::Instances(row.entity.name.clone()),
        pivots: Vec::new(),
        is_faint: false,
    });
    Table::new(schema::columns(ENTITIES), rows.collect(), empty_text).with_note(note)
}
