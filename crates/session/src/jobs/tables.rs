//! Tables: what can be asked for, and what an answer holds before it is laid out.

use crate::check_table::{self, CheckTable, Rules};
use crate::comparison::{self, CompareTable, ContrastTable, RunTable, Side};
use crate::instance_table::{self, EntityTable, InstanceTable, JoinsTable, TraceTable};
use crate::instances::{Thing, Things};
use crate::plots::{self, PlotData, PlotQuestion};
use crate::rows::Rows;
use widetui_core::cancel::Cancel;
use widetui_query::{self as query, Expr, Field, KeyTable, TemplateTable, ValueTable};
use widetui_store::Snapshot;

/// Whether the files of a run grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunGrowth {
    /// They were written to lately: it says something that one of them was not.
    Lately,
    /// Nobody writes any more, or nothing is followed.
    Over,
}

/// Tables that can be asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableOf {
    /// The sources of the run.
    Sources(RunGrowth),
    /// The keys of the rows, in numbers.
    Keys,
    /// The values of a field among the rows.
    Values(Field),
    /// The templates of the rows.
    Templates,
    /// The kinds of things that the rows are about.
    Entities(Things),
    /// The things of one kind (dotted name) that the rows are about.
    Instances(Things, String),
    /// All events of a thing.
    Trace(Thing),
    /// The keys of all events, for a join that is being built.
    JoinKeys,
    /// Joins, and those of one of them that are in conflict.
    Joins(JoinsTable),
    /// What is drawn over time, with the table that belongs to it.
    Plot(PlotQuestion),
    /// What tells the rows, selected by these expressions, from all others; without a selection, errors from what is none.
    Contrast(Vec<Expr>),
    /// Which rules of the definitions the rows break.
    Checks(Rules),
    /// The runs that the rows are about.
    Runs(Things),
    /// Two runs, or two selections, side by side.
    Compare(Things, Box<[Side; 2]>),
}

/// What stands in a table, before it is laid out.
#[derive(Clone, Debug)]
pub enum TableData {
    /// The sources are in the snapshot.
    Sources(RunGrowth),
    /// Of keys.
    Keys(KeyTable),
    /// Of the values of a field.
    Values(ValueTable),
    /// Of templates.
    Templates(TemplateTable),
    /// Of kinds of things.
    Entities(EntityTable),
    /// Of things of one kind.
    Instances(InstanceTable),
    /// Of the events of a thing.
    Trace(TraceTable),
    /// Of keys, for a join that is being built.
    JoinKeys(KeyTable),
    /// Of joins.
    Joins(JoinsTable),
    /// Of what is drawn over time.
    Plot(PlotData),
    /// Of what is different.
    Contrast(ContrastTable),
    /// Of rules.
    Checks(CheckTable),
    /// Of runs.
    Runs(RunTable),
    /// Of two sides.
    Compare(CompareTable),
}

/// What stands in a table of some rows. `None` when cancelled.
pub(super) fn table(
    snapshot: &Snapshot,
    rows: &Rows,
    of: &TableOf,
    cancel: &Cancel,
) -> Option<TableData> {
    if let TableOf::Sources(growth) = *of {
        return Some(TableData::Sources(growth));
    }
    let chosen = rows.selection(snapshot);
    let chosen = chosen.as_ref();
    let part = chosen.filter(|_| !rows.is_whole());
    Some(match of {
        TableOf::Sources(growth) => TableData::Sources(*growth),
        TableOf::Keys => TableData::Keys(query::key_table(snapshot, chosen, cancel)?),
        TableOf::Values(field) => {
            TableData::Values(query::value_table(snapshot, field, chosen, cancel)?)
        }
        TableOf::Templates => {
            TableData::Templates(query::template_table(snapshot, chosen, cancel)?)
        }
        // All records with their copies folded are no part of them.
        TableOf::Entities(things) => TableData::Entities(EntityTable {
            is_part: part.is_some(),
            ..instance_table::entities(snapshot, things, chosen, cancel)?
        }),
        TableOf::Instances(things, entity) => TableData::Instances(InstanceTable {
            is_part: part.is_some(),
            ..instance_table::instances(snapshot, things, entity, chosen, cancel)?
        }),
        TableOf::Trace(thing) => TableData::Trace(instance_table::trace(snapshot, thing, cancel)?),
        TableOf::JoinKeys => TableData::JoinKeys(query::key_table(snapshot, None, cancel)?),
        TableOf::Joins(joins) => TableData::Joins(joins.clone()),
        TableOf::Contrast(by) => {
            TableData::Contrast(comparison::contrast_table(snapshot, part, by, cancel)?)
        }
        TableOf::Checks(rules) => {
            TableData::Checks(check_table::checks(snapshot, rules, part, cancel)?)
        }
        TableOf::Runs(things) => TableData::Runs(comparison::runs(snapshot, things, part, cancel)?),
        TableOf::Compare(things, both) => {
            TableData::Compare(comparison::compared(snapshot, things, both, cancel)?)
        }
        TableOf::Plot(asked) => TableData::Plot(plots::answer(snapshot, rows, asked, cancel)?),
    })
}
