//! Layout of answers as tables: each module defines the columns of one view and how an answer becomes rows.
//!
//! A new view needs a request (`widetui_session::jobs::TableRequest`), a module here, and an arm in [`table`].

mod checks;
mod contrast;
pub mod entities;
pub mod instances;
pub mod join_builder;
mod joins;
mod keys;
mod plotted;
pub mod runs;
pub mod sources;
mod templates;
mod trace;
mod values;

pub use plotted::status_of;

use widetui_session::jobs::TableData;
use widetui_store::Snapshot;

use crate::table::Table;

/// Lays out an answer. Runs on the thread of the job, as an answer may have many rows.
pub fn table(snapshot: &Snapshot, data: TableData) -> Table {
    match data {
        TableData::Sources(growth) => sources::table(snapshot, growth),
        TableData::Keys(data) => keys::table(snapshot, data),
        TableData::Values(data) => values::table(snapshot, data),
        TableData::Templates(data) => templates::table(snapshot, data),
        TableData::Entities(data) => entities::table(snapshot, data),
        TableData::Instances(data) => instances::table(snapshot, data),
        TableData::Trace(data) => trace::table(snapshot, data),
        TableData::JoinKeys(data) => join_builder::table(snapshot, data),
        TableData::Joins(data) => joins::table(snapshot, data),
        TableData::Checks(data) => checks::table(snapshot, data),
        TableData::Contrast(data) => contrast::table(snapshot, data),
        TableData::Runs(data) => runs::table(snapshot, data),
        TableData::Compare(data) => runs::compare(snapshot, data),
        TableData::Plot(data) => plotted::table(snapshot, data),
    }
}
