//! Tables that can be requested, and their contents before layout.

use crate::check_table::{self, CheckTable, Rules};
use crate::comparison::{self, CompareTable, ComparedSide, ContrastTable, RunTable};
use crate::instance_table::{self, EntityTable, InstanceTable, JoinsTable, TraceTable};
use crate::instances::{InstanceCache, InstanceHandle};
use crate::plots::{self, PlotData, PlotQuestion};
use crate::rows::Rows;
use widetui_core::cancel::Cancel;
use widetui_query::{self as query, Expr, Field, KeyTable, TemplateTable, ValueTable};
use widetui_store::Snapshot;

/// Whether the files of a run are growing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunGrowth {
    /// Some files were written to recently, so a file that was not is worth reporting.
    Growing,
    /// No file is written to any more, or files are not followed.
    Ended,
}

/// Tables that can be requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableRequest {
    /// Sources of the run.
    Sources(RunGrowth),
    /// Statistics of the keys of the rows.
    Keys,
    /// Values of a field among the rows.
    Values(Field),
    /// Templates of the rows.
    Templates,
    /// Entities with records among the rows.
    Entities(InstanceCache),
    /// Instances of an entity (dotted name) with records among the rows.
    Instances(InstanceCache, String),
    /// All records of an instance.
    Trace(InstanceHandle),
    /// Statistics of the keys of all records, for a join that is being built.
    JoinKeys,
    /// Joins, or the conflicts of one of them.
    Joins(JoinsTable),
    /// A plot over time, with the table that belongs to it.
    Plot(PlotQuestion),
    /// Values that distinguish the rows, selected by these expressions, from all other records; without a selection,
    /// errors from the rest.
    Contrast(Vec<Expr>),
    /// Rules of the definitions, checked on the rows.
    Checks(Rules),
    /// Runs with records among the rows.
    Runs(InstanceCache),
    /// Two runs, or two selections, side by side.
    Compare(InstanceCache, Box<[ComparedSide; 2]>),
}

/// Contents of a table, before layout.
#[derive(Clone, Debug)]
pub enum TableData {
    /// Sources; their data is in the snapshot.
    Sources(RunGrowth),
    /// Keys.
    Keys(KeyTable),
    /// Values of a field.
    Values(ValueTable),
    /// Templates.
    Templates(TemplateTable),
    /// Entities.
    Entities(EntityTable),
    /// Instances of an entity.
    Instances(InstanceTable),
    /// Records of an instance.
    Trace(TraceTable),
    /// Keys, for a join that is being built.
    JoinKeys(KeyTable),
    /// Joins.
    Joins(JoinsTable),
    /// A plot over time.
    Plot(PlotData),
    /// Distinguishing values.
    Contrast(ContrastTable),
    /// Rules.
    Checks(CheckTable),
    /// Runs.
    Runs(RunTable),
    /// Two sides of a comparison.
    Compare(CompareTable),
}

/// Computes a table for some rows. `None` if cancelled.
pub fn table(
    snapshot: &Snapshot,
    rows: &Rows,
    of: &TableRequest,
    cancel: &Cancel,
) -> Option<TableData> {
    if let TableRequest::Sources(growth) = *of {
        return Some(TableData::Sources(growth));
    }
    let chosen = rows.selection(snapshot);
    let chosen = chosen.as_ref();
    let part = chosen.filter(|_| !rows.is_whole());
    Some(match of {
        TableRequest::Sources(growth) => TableData::Sources(*growth),
        TableRequest::Keys => TableData::Keys(query::key_table(snapshot, chosen, cancel)?),
        TableRequest::Values(field) => {
            TableData::Values(query::value_table(snapshot, field, chosen, cancel)?)
        }
        TableRequest::Templates => {
            TableData::Templates(query::template_table(snapshot, chosen, cancel)?)
        }
        // A selection of all records, with duplicates hidden, is not a part of the run.
        TableRequest::Entities(instance_cache) => TableData::Entities(EntityTable {
            is_part: part.is_some(),
            ..instance_table::entities(snapshot, instance_cache, chosen, None, cancel)?
        }),
        TableRequest::Instances(instance_cache, entity) => TableData::Instances(InstanceTable {
            is_part: part.is_some(),
            ..instance_table::instances(snapshot, instance_cache, entity, chosen, None, cancel)?
        }),
        TableRequest::Trace(handle) => {
            TableData::Trace(instance_table::trace(snapshot, handle, cancel)?)
        }
        TableRequest::JoinKeys => TableData::JoinKeys(query::key_table(snapshot, None, cancel)?),
        TableRequest::Joins(joins) => TableData::Joins(joins.clone()),
        TableRequest::Contrast(by) => {
            TableData::Contrast(comparison::contrast_table(snapshot, part, by, cancel)?)
        }
        TableRequest::Checks(rules) => {
            TableData::Checks(check_table::checks(snapshot, rules, part, cancel)?)
        }
        TableRequest::Runs(instance_cache) => {
            TableData::Runs(comparison::runs(snapshot, instance_cache, part, cancel)?)
        }
        TableRequest::Compare(instance_cache, both) => TableData::Compare(comparison::compared(
            snapshot,
            instance_cache,
            both,
            cancel,
        )?),
        TableRequest::Plot(asked) => TableData::Plot(plots::answer(snapshot, rows, asked, cancel)?),
    })
}
