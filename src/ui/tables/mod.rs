//! The views that are tables: each file says its columns and how an answer becomes rows.
//!
//! To add one: a variant of `model::View`, what it asks (`workspace::jobs::TableOf`), a file here, and an arm in each of
//! the two functions below.

mod keys;
mod plotted;
mod sources;
mod templates;
mod values;

use crate::store::Snapshot;
use crate::workspace::jobs::{TableData, TableOf};

use super::model::{Model, View};
use super::table::Table;

/// What a view asks for; `None` for one that is no table, or whose key is not chosen.
pub fn question(model: &Model) -> Option<TableOf> {
    let field = model.frequency.as_ref().map(|f| &f.field);
    match model.view {
        View::Events => None,
        View::Keys => Some(TableOf::Keys),
        View::Values => field.cloned().map(TableOf::Values),
        View::Templates => Some(TableOf::Templates),
        View::Sources => Some(TableOf::Sources),
        _ => plotted::question(model),
    }
}

/// Lays out an answer. Runs on the thread of the job, as there may be many rows.
pub fn table(snapshot: &Snapshot, data: TableData) -> Table {
    match data {
        TableData::Sources => sources::table(snapshot),
        TableData::Keys(data) => keys::table(snapshot, data),
        TableData::Values(data) => values::table(snapshot, data),
        TableData::Templates(data) => templates::table(snapshot, data),
        TableData::Plot(data) => plotted::table(snapshot, data),
    }
}
