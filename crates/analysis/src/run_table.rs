//! Table with one row per run, for trends over many runs. Runs are instances of an entity if the
//! definition has one; otherwise a run is what the logs of one system in one folder describe.

mod folder_groups;
mod folders;
mod named_runs;
mod recorded_times;
mod run_counts;
mod run_labels;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use widetui_core::cancel::Cancel;
use widetui_core::words::several;
use widetui_definition::semantics::EntityRole;
use widetui_query::{Expr, Selection};
use widetui_store::Snapshot;

use crate::Instances;
use crate::entity::AllInstances;
use crate::entity::{Entity, Instance};
use crate::scope::AnalysisScope;
use crate::summary::Summary;
use folders::{Folders, KnownRuns, UnassignedInstances};
use named_runs::NamedRuns;
use run_counts::ScopedInstances;
pub use run_labels::{RunLabels, run_labels};

/// Outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RunStatus {
    /// No work item that could end is known.
    Unknown,
    /// All work items that began succeeded.
    Succeeded,
    /// All work items that began have ended; this many failed.
    Failed(u64),
    /// All work items that began have ended; this many had a failed try, and a retry would not be
    /// logged.
    PossiblyFailed(u64),
    /// This many work items have not ended.
    Unfinished(u64),
}

impl std::fmt::Display for RunStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RunStatus::Unknown => f.write_str("unknown"),
            RunStatus::Succeeded => f.write_str("done"),
            RunStatus::Failed(n) => write!(f, "{n} failed"),
            RunStatus::PossiblyFailed(n) => write!(f, "{n} may have failed"),
            RunStatus::Unfinished(n) => write!(f, "{n} unfinished"),
        }
    }
}

/// Row of the table: a run with its counts and durations.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRow {
    /// Name: the label, the id, or the name of the folder; empty if runs cannot be separated.
    pub name: String,
    /// Dotted name of the run's entity; empty for a run of a folder.
    pub entity: String,
    /// Title of the run's entity: `run`.
    pub title: String,
    /// Condition of its records, for a run of a folder.
    pub condition: Option<Expr>,
    /// Folder of the log with its first record.
    pub folder: String,
    /// Keys and values of its id.
    pub id: Vec<(String, String)>,
    /// Time of the first event, UTC ns.
    pub start: Option<i64>,
    /// Time of the last event, UTC ns.
    pub end: Option<i64>,
    /// Number of events of the run.
    pub events: u64,
    /// Outcome of the run.
    pub status: RunStatus,
    /// Counts of the run's work items.
    pub work_items: WorkItemCounts,
    /// Number of instances by entity.
    pub entities: BTreeMap<String, u64>,
    /// Durations of ended work items, ns: of the run's own system, not of another system that works
    /// for it.
    pub durations: Option<Summary>,
}

/// Counts of the work items of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkItemCounts {
    /// Number of work items that began.
    pub begun: u64,
    /// Number of work items that failed.
    pub failed: u64,
    /// Number of work items with a failed try in logs that would not report a retry.
    pub(crate) possibly_failed: u64,
    /// Number of work items that have not ended.
    pub unfinished: u64,
}

impl RunRow {
    /// Text with the number of instances of entities with a role: `49 tasks`, `4 workers, 1 block`.
    pub fn entity_counts_text(&self, entities: &[Arc<Entity>], role: EntityRole) -> String {
        let of = |e: &Arc<Entity>| {
            let n = *self.entities.get(&e.name)?;
            Some(several(usize::try_from(n).unwrap_or(usize::MAX), &e.title))
        };
        let found = entities.iter().filter(|e| e.role == role).filter_map(of);
        found.collect::<Vec<_>>().join(", ")
    }
}

/// Lists the runs: instances of entities with the role of a run; for other systems one run per
/// folder, split at restarts; or all data as one run without any known work. An instance belongs to
/// the run of its first event that has one. `None` when cancelled.
pub fn list_runs(
    snapshot: &Snapshot,
    entities: &[Arc<Entity>],
    scope: &AnalysisScope,
    cancel: &Cancel,
) -> Option<Vec<RunRow>> {
    let found = AllInstances::scan(snapshot, entities, cancel)?;
    runs_of_instances(snapshot, entities, &found, scope, cancel)
}

/// Same as [`list_runs`], with instances that were already found.
pub fn runs_of_instances(
    snapshot: &Snapshot,
    entities: &[Arc<Entity>],
    found: &AllInstances,
    scope: &AnalysisScope,
    cancel: &Cancel,
) -> Option<Vec<RunRow>> {
    let kinds = { found.occurring.iter() }
        .map(|i| ScopedInstances::new(snapshot, (found, i), scope, cancel));
    let kinds = kinds
        .collect::<Option<Vec<ScopedInstances<'_>>>>()?
        .into_iter();
    let (named_runs, kinds) = kinds.partition(|kind| kind.instances.entity.role == EntityRole::Run);
    let named_runs = NamedRuns::new(named_runs);
    // Without selected events there is no run.
    let is_empty = |events: &Selection| events.is_empty();
    if named_runs.is_empty() && scope.events.as_ref().is_some_and(is_empty) {
        return Some(Vec::new());
    }
    let folders = folder_runs(snapshot, entities, found, (&kinds, &named_runs), cancel)?;
    if named_runs.is_empty() && folders.is_empty() {
        return Some(vec![single_run(snapshot, &kinds, cancel)?]);
    }
    let run_of = |instances: &Instances, instance: &Instance| {
        let by_name = instances.find_event(instance, |event| named_runs.run_of(event));
        by_name.or_else(|| {
            if named_runs.covers(instances) {
                return None;
            }
            let run = folders.run_of_instance(snapshot, instances, instance)?;
            Some(named_runs.count() + run)
        })
    };
    let count = named_runs.count() + folders.count();
    let mut run_counts = run_counts::count_runs(&kinds, count, run_of, cancel)?;
    let of_folders = run_counts.split_off(named_runs.count());
    let mut out = named_runs.runs(snapshot, run_counts, cancel)?;
    let known_runs = folders.runs(snapshot, cancel)?;
    // All data belongs to a single run.
    let is_only = out.is_empty() && known_runs.len() == 1;
    for (run, counts) in known_runs.into_iter().zip(of_folders) {
        if counts.is_empty() {
            continue;
        }
        out.push(match is_only {
            true => RunRow {
                events: (snapshot.len() - snapshot.duplicates.len()) as u64,
                start: snapshot.range().map(|r| r.0),
                end: snapshot.range().map(|r| r.1),
                condition: None,
                ..counts.in_folder(run)
            },
            false => counts.in_folder(run),
        });
    }
    out.sort_by(|a, b| (a.start, &a.name).cmp(&(b.start, &b.name)));
    Some(out)
}

/// Finds runs by folder, for instances that no named run covers. `None` when cancelled.
fn folder_runs(
    snapshot: &Snapshot,
    entities: &[Arc<Entity>],
    found: &AllInstances,
    (kinds, named_runs): (&[ScopedInstances<'_>], &NamedRuns<'_>),
    cancel: &Cancel,
) -> Option<Folders> {
    let mut unassigned: UnassignedInstances<'_> = Vec::new();
    for ScopedInstances {
        instances,
        in_scope: kept,
        ..
    } in kinds.iter().filter(|k| !named_runs.covers(k.instances))
    {
        let is_left = |at: &usize| {
            let run_of = |event| named_runs.run_of(event);
            kept[*at] && instances.find_event(&instances.list[*at], run_of).is_none()
        };
        let which = (0..instances.list.len()).filter(is_left).collect();
        unassigned.push((instances, which));
    }
    let is_work = |e: &&Arc<Entity>| e.is_work_item() || e.role == EntityRole::StandIn;
    let working = entities.iter().filter(is_work).map(|e| e.system.as_str());
    let known_runs = KnownRuns {
        named: named_runs.folders(snapshot),
        working: working.collect(),
    };
    Folders::find(snapshot, found, &unassigned, &known_runs, cancel)
}

/// Row with all data as one run. `None` when cancelled.
fn single_run(
    snapshot: &Snapshot,
    kinds: &[ScopedInstances<'_>],
    cancel: &Cancel,
) -> Option<RunRow> {
    let counts = run_counts::count_runs(kinds, 1, |_, _| Some(0), cancel)?.pop()?;
    let run = counts.into_run("", Vec::new(), snapshot.range());
    Some(RunRow {
        events: (snapshot.len() - snapshot.duplicates.len()) as u64,
        ..run
    })
}
