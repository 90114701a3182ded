//! Table of the instances with the longest durations of a step or phase.

use crate::role::Role;
use crate::table::{Cell, Column, Row, RowAction, Table};
use widetui_analysis::entity::names::format_places;
use widetui_session::plots::EntityInstances;
use widetui_store::Snapshot;

use super::instance_pivots;

/// Instance with its duration.
pub(super) struct LongInstance {
    /// Index in the list of instances.
    pub(super) instance: usize,
    /// Duration, ns.
    pub(super) duration: i64,
    /// Time of the step, UTC ns, if the table has such a column.
    pub(super) time: Option<i64>,
}

/// Table of instances, the longest first; `empty_text` is shown without any.
pub(super) fn longest(
    snapshot: &Snapshot,
    found: &EntityInstances,
    list: Vec<LongInstance>,
    empty_text: &'static str,
) -> Table {
    let most = list.first().map_or(1, |l| l.duration.max(1)) as f64;
    let has_times = list.iter().any(|l| l.time.is_some());
    let rows = list.into_iter().filter_map(|long| {
        let instance = found.list.get(long.instance)?;
        let step = found.step(long.instance)?;
        let mut cells = vec![
            Cell::Text(step.label.clone()),
            Cell::Text(found.label(snapshot, instance).unwrap_or_default()),
            Cell::Span(long.duration),
            Cell::Bar(long.duration.max(0) as f64 / most),
        ];
        cells.extend(long.time.map(Cell::Time));
        cells.push(Cell::Text(format_places(&found.places(snapshot, instance))));
        Some(Row {
            name: step.label.clone(),
            cells,
            action: RowAction::Filter(step),
            pivots: instance_pivots(snapshot, found, instance),
            is_faint: false,
        })
    });
    let rows: Vec<Row> = rows.collect();
    let what = Column::text("what").between(6, 30).rank(2);
    let mut columns = vec![
        Column::text("which").between(8, 30),
        what.role(Role::Value),
        Column::number("took"),
        Column::bar("", 40).between(6, 40).rank(1),
    ];
    columns.extend(has_times.then(|| Column::time("at").rank(3)));
    let place = Column::text("where").between(10, 90).rank(4);
    columns.push(place.role(Role::Muted));
    Table::new(columns, rows, empty_text)
}
