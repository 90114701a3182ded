//! `widetui runs`: one row per run.

use serde_json::Value as Json;

use widetui_analysis::run_table::list_runs;
use widetui_core::cancel::Cancel;
use widetui_definition::semantics::EntityRole;
use widetui_time::time::format_datetime;

use super::args::RunsCommand;
use super::no_result::{entities, no_entity, unselected};
use super::open;
use super::output::Failure;
use super::selection::scope;
use super::sheet::{
    PrintedSheet, cell, duration_f, hidden, id_object, left, log_text, moment, right,
};

/// `widetui runs`.
pub fn run(c: &RunsCommand) -> Result<(), Failure> {
    let opened = &open::load_run(&c.run)?;
    let scope = scope(opened, &c.select)?;
    let snapshot = &*opened.snapshot;
    let found =
        list_runs(snapshot, opened.entities(), &scope, &Cancel::default()).unwrap_or_default();
    let mut sheet = PrintedSheet::new(vec![
        left("run", "run"),
        hidden("id"),
        left("start", "start"),
        left("end", "end"),
        left("status", "status"),
        left("entities", "what"),
        right("mean_s", "mean"),
        right("p95_s", "p95"),
    ]);
    for run in &found {
        let shown = |t: i64| format_datetime(t, opened.zone.offset_at_utc(t), 0);
        let entities = run.entities.iter();
        let json: serde_json::Map<String, Json> =
            entities.map(|(k, n)| (k.clone(), Json::from(*n))).collect();
        let id = id_object(snapshot, &run.id);
        sheet.push(vec![
            log_text(&run.name),
            cell(Json::Object(id), ""),
            moment(run.start, shown),
            moment(run.end, shown),
            log_text(&run.status.to_string()),
            cell(
                Json::Object(json),
                run.entity_counts_text(opened.entities(), EntityRole::WorkItem),
            ),
            duration_f(run.durations.map(|d| d.mean)),
            duration_f(run.durations.map(|d| d.p95)),
        ]);
    }
    sheet.print(c.run.format, || {
        Failure::Absent(match unselected(&c.select) {
            Some(_) => no_entity(&c.select),
            None => format!("no run in these logs; {}", entities(opened)),
        })
    })
}
