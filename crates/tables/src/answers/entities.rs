//! Table of the entities of a run, with the number of instances and of unfinished ones.

use crate::role::Role;
use crate::schema::{Schema, SchemaColumn};
use crate::table::{Cell, Column, Row, RowAction, Table};
use crate::text::grouped;
use widetui_session::instance_table::{EntityRow, EntityTable};
use widetui_store::Snapshot;
use widetui_time::time::format_span;

type Col = SchemaColumn<EntityRow>;

/// Columns of entities, on the screen and in the output of `widetui entities`.
pub fn entities() -> Schema<EntityRow> {
    Schema::from(vec![
        Col::text("entity", |row| row.entity.name.clone()).in_text(),
        Col::drawn(
            Column::text("kind").between(12, 40).role(Role::Strong),
            |row| {
                Cell::Text(format!(
                    "{:1$}{2}",
                    "",
                    2 * row.within.len(),
                    row.entity.title
                ))
            },
        ),
        Col::text("title", |row| row.entity.title.clone()).hidden(),
        Col::count("instances", |row| row.instances as u64).layout(|c| c.short("n")),
        // Unknown if no definition states an end.
        Col::count("unfinished", |row| row.open.map(|n| n as u64))
            // Workers stop without a record in healthy runs, so only unfinished work items stand out.
            .style(|row| match row.entity.is_work_item() {
                true => Role::WarningText,
                false => Role::Muted,
            }),
        Col::count("failed", |row| row.failed.map(|n| n as u64))
            .style(|_| Role::ErrorText)
            .layout(|c| c.rank(1)),
        Col::mean("p50_s", |row| row.median)
            .heading("usual time")
            .layout(|c| c.rank(2).short("usual"))
            .on_screen(),
        Col::count("events", |row| row.events).layout(|c| c.rank(3)),
        Col::time("first", |row| row.range.map(|r| r.0))
            .layout(|c| c.rank(5))
            .on_screen(),
        Col::time("last", |row| row.range.map(|r| r.1))
            .layout(|c| c.rank(6))
            .on_screen(),
        // On the screen it is in the lines below the table.
        Col::text("about", |row| row.entity.about.clone()).hidden(),
        Col::texts("keys", |row| row.id.clone())
            .layout(|c| c.between(10, 60).rank(7).role(Role::Key)),
        Col::count("undecided", |row| row.undecided)
            .heading("unassigned")
            .style(|_| Role::Muted)
            .layout(|c| c.rank(8).role(Role::Muted))
            .on_screen(),
        Col::text("system", |row| row.entity.system.clone())
            .layout(|c| c.rank(8).role(Role::Muted))
            .on_screen(),
    ])
}

/// Names of the first of `all` instances.
fn listed(names: &[String], all: usize) -> String {
    let more = all.saturating_sub(names.len());
    let more = (more > 0).then(|| format!("and {} more", grouped(more as u64)));
    let names = names.iter().cloned().chain(more);
    names.collect::<Vec<_>>().join(" · ")
}

pub(super) fn table(_: &Snapshot, data: EntityTable) -> Table {
    let note = match data.is_part {
        true => "named by the selected events",
        false => "",
    };
    let empty_text =
        "no definition describes these records: D in the list of sources (9) drafts one";
    let mut systems = data.rows.windows(2);
    let is_one_system = systems.all(|pair| pair[0].entity.system == pair[1].entity.system);
    let schema = match is_one_system {
        true => entities().without("system"),
        false => entities(),
    };
    let rows = data.rows.iter().map(|row| {
        let name = row.entity.name.clone();
        let shown = Row::new(name.clone(), schema.cells(row));
        let states = row.states.iter();
        let states = states.map(|(state, n)| format!("{} {state}", grouped(*n as u64)));
        let slowest = row.slowest.iter();
        let slowest = slowest.map(|(name, took)| format!("{name} {}", format_span(*took)));
        let shown = shown.with_details([
            ("what", row.entity.about.clone()),
            ("states", states.collect::<Vec<_>>().join(" · ")),
            ("failed", listed(&row.first_failed, row.failed.unwrap_or(0))),
            ("open", listed(&row.first_open, row.open.unwrap_or(0))),
            ("slowest", slowest.collect::<Vec<_>>().join(" · ")),
            ("within", row.within.join(" › ")),
            ("keys", row.id.join(", ")),
        ]);
        shown.with_action(RowAction::Instances(name))
    });
    let work = data.rows.iter().position(|row| row.entity.is_work_item());
    Table::new(schema.columns(), rows.collect(), empty_text)
        .with_note(note)
        .with_initial_row(work.unwrap_or(0))
}
