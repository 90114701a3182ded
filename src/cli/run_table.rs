//! Table of runs, of logs or of stores.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use widetui_analysis::run_table::{RunRow, list_runs};
use widetui_analysis::scope::AnalysisScope;
use widetui_core::cancel::Cancel;
use widetui_definition::semantics::EntityRole;
use widetui_report::sheet::Sheet;
use widetui_time::time::format_datetime;
use widetui_time::zone::Zone;

use super::opened::Opened;
use super::sheet::{SheetCell, cell, duration_f, hidden, id_object, left, log_text, moment, right};

/// Row of the table, as a store keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// Name of the run.
    pub name: String,
    /// Keys and values of its id.
    id: Map<String, Json>,
    /// Time of the first event, UTC ns.
    pub start: Option<i64>,
    /// Time of the last event, UTC ns.
    end: Option<i64>,
    /// Outcome in words.
    status: String,
    /// Number of instances by entity.
    entities: BTreeMap<String, u64>,
    /// Numbers of work items in words.
    what: String,
    /// Mean duration of ended work items, ns.
    mean: Option<f64>,
    /// 95th percentile of these durations, ns.
    p95: Option<f64>,
}

impl RunSummary {
    fn new(opened: &Opened, run: &RunRow) -> RunSummary {
        RunSummary {
            name: run.name.clone(),
            id: id_object(&opened.snapshot, &run.id),
            start: run.start,
            end: run.end,
            status: run.status.to_string(),
            entities: run.entities.clone(),
            what: run.entity_counts_text(opened.entities(), EntityRole::WorkItem),
            mean: run.durations.map(|d| d.mean),
            p95: run.durations.map(|d| d.p95),
        }
    }
}

/// Runs in scope.
pub fn summaries(opened: &Opened, scope: &AnalysisScope) -> Vec<RunSummary> {
    let entities = opened.entities();
    let runs = list_runs(&opened.snapshot, entities, scope, &Cancel::default());
    // A command is never cancelled.
    let runs = runs.unwrap_or_default();
    runs.iter()
        .map(|run| RunSummary::new(opened, run))
        .collect()
}

/// Table of runs; those of a store with the names of their partitions.
pub fn table<'r>(
    runs: impl Iterator<Item = (Option<&'r str>, &'r RunSummary)> + Clone,
    zone: &Zone,
) -> Sheet {
    let mut columns = vec![
        left("run", "run"),
        hidden("id"),
        left("start", "start"),
        left("end", "end"),
        left("status", "status"),
        left("entities", "what"),
        right("mean_s", "mean"),
        right("p95_s", "p95"),
    ];
    if runs.clone().any(|(partition, _)| partition.is_some()) {
        columns.insert(0, left("partition", "partition"));
    }
    let mut sheet = Sheet::new(columns);
    let shown = |t: i64| format_datetime(t, zone.offset_at_utc(t), 0);
    for (partition, run) in runs {
        let counts = run.entities.iter();
        let counts = counts.map(|(k, n)| (k.clone(), Json::from(*n))).collect();
        let mut row: Vec<SheetCell> = partition.map(log_text).into_iter().collect();
        row.extend([
            log_text(&run.name),
            cell(Json::Object(run.id.clone()), ""),
            moment(run.start, shown),
            moment(run.end, shown),
            log_text(&run.status),
            cell(Json::Object(counts), run.what.clone()),
            duration_f(run.mean),
            duration_f(run.p95),
        ]);
        sheet.push(row);
    }
    sheet
}
