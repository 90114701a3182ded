//! Counts of the instances of runs.

use std::collections::BTreeMap;

use crate::Instances;
use crate::entity::{AllInstances, has_begun};
use crate::entity::{Entity, Instance, Standing};
use crate::scope::AnalysisScope;
use crate::summary::Summary;
use crate::work_items::work_item_standings;
use widetui_core::cancel::Cancel;
use widetui_store::Snapshot;

use crate::run_table::folders::FolderRun;
use crate::run_table::{RunRow, RunStatus, WorkItemCounts};

/// Instances of one entity, with those in scope.
pub(super) struct ScopedInstances<'a> {
    /// Instances of the entity.
    pub instances: &'a Instances,
    /// Whether each instance is in scope.
    pub(crate) in_scope: Vec<bool>,
    /// Standings of the instances; only for work items.
    standings: Vec<Standing>,
}

impl<'a> ScopedInstances<'a> {
    /// Determines scope and standings of the instances of one entity; `None` when cancelled.
    pub fn new(
        snapshot: &Snapshot,
        (all, instances): (&AllInstances, &'a Instances),
        scope: &AnalysisScope,
        cancel: &Cancel,
    ) -> Option<ScopedInstances<'a>> {
        Some(ScopedInstances {
            instances,
            in_scope: scope.contains_instances(snapshot, instances),
            standings: match instances.entity.is_work_item() {
                true => work_item_standings(snapshot, all, instances, cancel)?,
                false => Vec::new(),
            },
        })
    }
}

/// Counts and durations of the instances of one run.
#[derive(Default)]
pub(super) struct RunCounts {
    entities: BTreeMap<String, u64>,
    /// Number of instances of the current entity.
    counted: u64,
    /// Durations of the current entity's instances, ns.
    durations_of_entity: Vec<i64>,
    /// Durations by entity, ns.
    durations: BTreeMap<String, Vec<i64>>,
    work_items: WorkItemCounts,
}

/// Counts the instances in scope for each of `runs` runs; `run_of` returns the run of an instance.
/// `None` when cancelled.
pub(super) fn count_runs(
    kinds: &[ScopedInstances<'_>],
    runs: usize,
    run_of: impl Fn(&Instances, &Instance) -> Option<usize>,
    cancel: &Cancel,
) -> Option<Vec<RunCounts>> {
    let mut run_counts: Vec<RunCounts> = Vec::new();
    run_counts.resize_with(runs, RunCounts::default);
    for kind in kinds {
        if cancel.is_cancelled() {
            return None;
        }
        let instances = kind.instances;
        let all = instances.list.iter().enumerate();
        for (at, instance) in all.filter(|(at, _)| kind.in_scope[*at]) {
            let run = run_of(instances, instance);
            if let Some(counts) = run.and_then(|run| run_counts.get_mut(run)) {
                counts.add_instance(instances, instance, kind.standings.get(at));
            }
        }
        let counted = run_counts.iter_mut().filter(|t| t.counted > 0);
        counted.for_each(|counts| counts.finish_entity(&instances.entity));
    }
    Some(run_counts)
}

impl RunCounts {
    /// Whether no instance was counted.
    pub fn is_empty(&self) -> bool {
        self.entities.is_empty()
    }

    /// Adds an instance, and for work items its standing.
    fn add_instance(
        &mut self,
        instances: &Instances,
        instance: &Instance,
        standing: Option<&Standing>,
    ) {
        let entity = &instances.entity;
        // A work item that is only mentioned by others does not belong to the run.
        if entity.is_work_item() && !has_begun(instances, instance) {
            return;
        }
        self.counted += 1;
        let Some(standing) = standing else {
            return;
        };
        self.work_items.begun += 1;
        self.work_items.unfinished += u64::from(instances.is_unfinished(standing));
        // If only the end is reported, the duration is unknown.
        let is_final = |state: u16| {
            let state = instances.states.get(usize::from(state));
            state.is_some_and(|s| entity.is_final(s))
        };
        let mut changes = instances.changes(instance).iter();
        let has_known_start = entity.start.is_some() || changes.any(|c| !is_final(c.state));
        if let Some(duration) = standing.duration().filter(|t| *t > 0 || has_known_start) {
            self.durations_of_entity.push(duration);
        }
        let state = standing
            .state
            .and_then(|s| instances.states.get(usize::from(s)));
        let is_unsure = state.is_some_and(|s| entity.inconclusive_states.contains(s));
        let is_failed = standing.state.is_some_and(|s| instances.is_failure(s));
        self.work_items.possibly_failed += u64::from(is_failed && is_unsure);
        self.work_items.failed += u64::from(is_failed && !is_unsure);
    }

    /// Finishes an entity after all its instances were added.
    fn finish_entity(&mut self, entity: &Entity) {
        let counted = std::mem::take(&mut self.counted);
        *self.entities.entry(entity.name.clone()).or_default() += counted;
        let mut duration = std::mem::take(&mut self.durations_of_entity);
        if !duration.is_empty() {
            let known = self.durations.entry(entity.name.clone());
            known.or_default().append(&mut duration);
        }
    }

    /// Row of a run of a folder.
    pub(crate) fn in_folder(self, run: FolderRun) -> RunRow {
        let id = vec![("folder".to_owned(), run.folder.clone())];
        RunRow {
            name: run.name,
            folder: run.folder,
            events: run.events,
            condition: Some(run.condition),
            ..self.into_run(&run.system, id, run.range)
        }
    }

    /// Row of a run of this entity or system.
    pub(crate) fn into_run(
        mut self,
        entity: &str,
        id: Vec<(String, String)>,
        range: Option<(i64, i64)>,
    ) -> RunRow {
        let mut durations = self.own_durations(entity);
        let WorkItemCounts {
            begun,
            failed,
            possibly_failed: unsure,
            unfinished: open,
        } = self.work_items;
        let status = match (begun, open, failed) {
            (0, ..) => RunStatus::Unknown,
            (_, 0, 0) if unsure > 0 => RunStatus::PossiblyFailed(unsure),
            (_, 0, 0) => RunStatus::Succeeded,
            (_, 0, failed) => RunStatus::Failed(failed),
            (_, open, _) => RunStatus::Unfinished(open),
        };
        RunRow {
            name: String::new(),
            entity: String::new(),
            title: String::new(),
            condition: None,
            folder: String::new(),
            events: 0,
            work_items: self.work_items,
            id,
            start: range.map(|r| r.0),
            end: range.map(|r| r.1),
            status,
            entities: self.entities,
            durations: Summary::from_values(&mut durations),
        }
    }

    /// Durations of the work items of the run's own system, or else of the entity with most ended
    /// instances.
    fn own_durations(&mut self, run: &str) -> Vec<i64> {
        let system = |name: &str| name.split('.').next().map(str::to_owned);
        let rank = |(name, all): &(&String, &Vec<i64>)| (system(name) == system(run), all.len());
        let own = self
            .durations
            .iter()
            .max_by_key(rank)
            .map(|(name, _)| name.clone());
        let own = own.and_then(|name| self.durations.remove(&name));
        own.unwrap_or_default()
    }
}
