//! Layout of answers as tables: each module defines the columns of one view and how an answer becomes rows.
//!
//! A new view needs a request (`widetui_session::jobs::TableRequest`), a module here, and an arm in [`table`].

pub mod checks;
pub mod contrast;
pub mod differences;
pub mod entities;
pub mod findings;
pub mod instances;
pub mod join_builder;
pub mod joins;
pub mod keys;
pub mod plotted;
pub mod runs;
pub mod sources;
mod templates;
mod trace;
pub mod unfinished;
pub mod utilisation;
pub mod values;

pub use plotted::{
    account, contents, counts, dag, figure, flow, latency, series, sheet, spans, states, status_of,
    summary_sheet, throughput,
};

use widetui_analysis::entity::names::Varies;
use widetui_session::jobs::TableData;
use widetui_store::Snapshot;

use counts::RowGroups;

use crate::schema::SchemaField;
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

/// Fields of JSON lines and CSV of each command, by the rows of their reference (`docs/src/json-lines.md`).
#[rustfmt::skip]
pub fn fields() -> Vec<(&'static str, Vec<SchemaField>)> {
    vec![
        ("`sources`", sources::sources().fields()),
        ("`keys`", keys::keys().fields()),
        ("`keys --key KEY`", values::values().fields()),
        ("`entities`", entities::entities().fields()),
        ("`entities --of ENTITY`", instances::instances(Varies::No).fields()),
        ("`joins`", joins::joins().fields()),
        ("`hung`: unfinished work", unfinished::instances().fields()),
        ("`hung`: silent sources", unfinished::silences().fields()),
        ("`hung`: pauses of all logs of a run", unfinished::pauses().fields()),
        ("`hung`: resources of a run and place without work", unfinished::idle().fields()),
        ("`hung`: at the end", unfinished::summary().fields()),
        ("`diagnose`", findings::columns().fields()),
        ("`diagnose`: at the end", findings::summary().fields()),
        ("`series`", series::value_columns(RowGroups::ByKey).fields()),
        ("`flow`", flow::message_columns().fields()),
        ("`flow --summary`", flow::kind_columns().fields()),
        ("`latency`", latency::latency(&[], "instances").fields()),
        ("`latency --slowest STEP`", latency::slowest_columns().fields()),
        ("`states`", counts::state_columns(RowGroups::None).fields()),
        ("`states --final`", states::final_columns(RowGroups::None).fields()),
        ("`spans`", spans::spans().fields()),
        ("`spans --summary`", spans::group_columns().fields()),
        ("`spans --concurrency`", counts::concurrency_columns(RowGroups::None).fields()),
        ("`throughput`", counts::concurrency_columns(RowGroups::ByKey).fields()),
        ("`utilisation`: how many run", utilisation::running().fields()),
        ("`utilisation`: how many could", utilisation::capacity().fields()),
        ("`utilisation`: what each did", utilisation::resources().fields()),
        ("`trace KEY=VALUE --account`", account::instance_phase_columns().fields()),
        ("`trace ENTITY --account`", account::phase_columns("instances").fields()),
        ("`dag`: nodes", dag::node_columns().fields()),
        ("`dag`: steps of the critical path", dag::step_columns().fields()),
        ("`dag`: its phases", dag::total_columns().fields()),
        ("`runs`", runs::listed_runs().fields()),
        ("`compare`", runs::comparison().fields()),
        ("`contrast`", contrast::values().fields()),
        ("`check`", checks::checks().fields()),
    ]
}
