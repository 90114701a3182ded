//! The views that are tables: each file says its columns and how an answer becomes rows.
//!
//! To add one: a variant of `model::View` with its row, what it asks (`workspace::jobs::TableOf`), a file here, and an arm in
//! each of the two functions below.

mod checks;
mod contrast;
mod entities;
pub(crate) mod instances;
mod joins;
mod keys;
pub(crate) mod newjoin;
mod plotted;
pub(crate) mod runs;
mod sources;
mod templates;
mod trace;
mod values;

pub use plotted::status_of;

use widetui_session::check_table::Rules;
use widetui_session::jobs::{TableData, TableOf};
use widetui_store::Snapshot;

use super::model::{Model, View};
use super::table::Table;

/// What a view asks for; `None` for one that is no table, or whose key is not chosen.
pub fn question(model: &Model, view: View) -> Option<TableOf> {
    let field = model.frequency.as_ref();
    let things = || model.meaning.things.clone();
    match view {
        // Those that are no tables.
        View::Events | View::Hung | View::Diagnose => None,
        View::Entities => Some(TableOf::Entities(things())),
        View::Instances => {
            let entity = model.things.entity.clone();
            entity.map(|entity| TableOf::Instances(things(), entity))
        }
        View::Trace => {
            let trace = model.things.trace.as_ref();
            trace.map(|thing| TableOf::Trace(thing.clone()))
        }
        View::Joins => Some(joins_of(model, None)),
        View::NewJoin => Some(TableOf::JoinKeys),
        View::Conflicts => {
            let of = model.things.conflicts_of.clone();
            Some(joins_of(model, of))
        }
        View::Keys => Some(TableOf::Keys),
        View::Values => field.cloned().map(TableOf::Values),
        View::Templates => Some(TableOf::Templates),
        View::Sources => Some(TableOf::Sources(sources::growth(model))),
        View::Checks => Some(TableOf::Checks(Rules(model.meaning.clone()))),
        View::Contrast => {
            let steps = model.selection.steps().iter();
            Some(TableOf::Contrast(steps.map(|s| s.expr.clone()).collect()))
        }
        View::Runs => Some(TableOf::Runs(things())),
        View::Compare => {
            let compared = model.things.compared.as_ref();
            compared.map(|sides| TableOf::Compare(things(), sides.clone()))
        }
        View::States
        | View::Timeline
        | View::Latency
        | View::Slowest
        | View::Account
        | View::Spans
        | View::Throughput
        | View::Series
        | View::Flow
        | View::Messages => plotted::question(model, view),
    }
}

fn joins_of(model: &Model, conflicts_of: Option<String>) -> TableOf {
    let (known, chosen) = (&model.meaning.joins, model.selection.joins());
    TableOf::Joins(model.joins.table(known, chosen, conflicts_of))
}

/// Lays out an answer. Runs on the thread of the job, as there may be many rows.
pub fn table(snapshot: &Snapshot, data: TableData) -> Table {
    match data {
        TableData::Sources(growth) => sources::table(snapshot, growth),
        TableData::Keys(data) => keys::table(snapshot, data),
        TableData::Values(data) => values::table(snapshot, data),
        TableData::Templates(data) => templates::table(snapshot, data),
        TableData::Entities(data) => entities::table(snapshot, data),
        TableData::Instances(data) => instances::table(snapshot, data),
        TableData::Trace(data) => trace::table(snapshot, data),
        TableData::JoinKeys(data) => newjoin::table(snapshot, data),
        TableData::Joins(data) => joins::table(snapshot, data),
        TableData::Checks(data) => checks::table(snapshot, data),
        TableData::Contrast(data) => contrast::table(snapshot, data),
        TableData::Runs(data) => runs::table(snapshot, data),
        TableData::Compare(data) => runs::compare(snapshot, data),
        TableData::Plot(data) => plotted::table(snapshot, data),
    }
}
