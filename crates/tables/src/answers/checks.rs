//! Table of the rules of definitions, with the number of records that violate each.

use crate::role::Role;
use crate::schema::{Schema, SchemaColumn};
use crate::table::{Cell, Row, RowAction, Table};
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
    checks()
        .table(rows, row, NOTHING)
        .with_title("rules of records")
        .with_note(note)
}

/// Columns of rules, on the screen and in the output of `widetui check`.
pub fn checks() -> Schema<CheckRow> {
    type Col = SchemaColumn<CheckRow>;
    let is_broken = |row: &CheckRow| row.found.violations > 0;
    let share = |row: &CheckRow| row.found.violations as f64 / row.found.events.max(1) as f64;
    Schema::from(vec![
        Col::text("rule", |row| row.rule.name.clone())
            .style(move |row| match is_broken(row) {
                true => Role::WarningText,
                false => Role::Text,
            })
            .layout(|c| c.between(20, 60)),
        Col::text("system", |row| row.rule.system.clone())
            .layout(|c| c.between(4, 16).rank(4).role(Role::Muted)),
        Col::count("events", |row| row.found.events)
            .heading("records")
            .layout(|c| c.rank(2)),
        Col::count("violations", |row| row.found.violations).cell(move |row| {
            match is_broken(row) {
                true => Cell::Styled(grouped(row.found.violations), Role::WarningText),
                false => Cell::Text("none".to_owned()),
            }
        }),
        Col::share("share", share)
            .cell(move |row| match is_broken(row) {
                true => Cell::Share(share(row)),
                false => Cell::Empty,
            })
            .layout(|c| c.rank(1).role(Role::Muted)),
        Col::text("example", |row| row.example.clone())
            .heading("first violation")
            .layout(|c| c.between(16, 120).rank(3).growing()),
    ])
}

fn row(row: &CheckRow, cells: Vec<Cell>) -> Row {
    let is_broken = row.found.violations > 0;
    let action = is_broken.then(|| RowAction::Filter(row.step().into()));
    Row::new(row.rule.name.clone(), cells).with_action(action)
}
