//! Table of instances with a duration each, the longest first.

use widetui_session::plots::EntityInstances;
use widetui_store::Snapshot;

use crate::schema::{Schema, SchemaColumn};
use crate::table::{Cell, Column, Row, Table};

use super::{InstanceName, instance_columns, instance_row, places_column};

/// Instance with a duration.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimedInstance {
    /// Index in the list of instances.
    pub(super) at: usize,
    /// Duration, ns.
    pub(super) took: i64,
    /// End, UTC ns, if there is one.
    pub(super) time: Option<i64>,
}

/// Row of an instance with a duration.
pub struct TimedLine<'a> {
    name: InstanceName,
    of: TimedInstance,
    /// Step or phase.
    what: &'a str,
    longest: f64,
}

/// Rows of instances, the longest first; `what` is the step or phase of the durations.
pub(super) fn lines<'a>(
    snapshot: &'a Snapshot,
    found: &'a EntityInstances,
    list: impl Iterator<Item = TimedInstance> + Clone + 'a,
    what: &'a str,
) -> impl Iterator<Item = TimedLine<'a>> + 'a {
    let longest = list.clone().next().map_or(1, |of| of.took.max(1)) as f64;
    list.filter_map(move |of| {
        Some(TimedLine {
            name: InstanceName::new(snapshot, found, of.at)?,
            of,
            what,
            longest,
        })
    })
}

/// Columns of these rows: the field of the duration, and the field of the step or phase.
pub(super) fn columns<'a>(took: &'static str, what: &'static str) -> Schema<TimedLine<'a>> {
    type Col<'a> = SchemaColumn<TimedLine<'a>>;
    let mut columns = Vec::from(instance_columns(|line: &TimedLine<'a>| &line.name));
    columns.extend([
        Col::duration(took, |line| line.of.took).heading("took"),
        Col::drawn(Column::bar("", 40).between(6, 40).rank(1), |line| {
            Cell::Bar(line.of.took.max(0) as f64 / line.longest)
        }),
        Col::time("time", |line| line.of.time)
            .heading("at")
            .layout(|c| c.rank(3)),
        Col::text(what, |line| line.what.to_owned()).hidden(),
        places_column(4, |line: &TimedLine<'a>| &line.name),
    ]);
    Schema::from(columns)
}

/// Table of these rows.
pub(super) fn table<'a>(
    snapshot: &Snapshot,
    found: &EntityInstances,
    schema: &Schema<TimedLine<'a>>,
    lines: impl Iterator<Item = TimedLine<'a>>,
    empty_text: &'static str,
) -> Table {
    let rows =
        lines.filter_map(|line| instance_row(snapshot, found, line.of.at, schema.cells(&line)));
    let rows: Vec<Row> = rows.collect();
    Table::new(schema.columns(), rows, empty_text)
}
