//! Named runs: instances of entities with the role of a run.

use rustc_hash::FxHashSet;

use crate::Instances;
use crate::entity::Instance;
use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_store::{Snapshot, SourceTrait};

use crate::run_table::RunRow;
use crate::run_table::recorded_times::recorded_times;
use crate::run_table::run_counts::{RunCounts, ScopedInstances};

/// Named runs in scope.
pub(super) struct NamedRuns<'a> {
    kinds: Vec<ScopedInstances<'a>>,
    /// Index of the kind and of the instance of each run.
    list: Vec<(usize, usize)>,
    /// Number of the run in `list`, by kind and instance.
    numbers: Vec<Vec<Option<usize>>>,
    /// Systems whose runs have names.
    systems: FxHashSet<&'a str>,
}

impl<'a> NamedRuns<'a> {
    /// Lists the runs in scope among the instances of run entities.
    pub(crate) fn new(kinds: Vec<ScopedInstances<'a>>) -> NamedRuns<'a> {
        let mut list = Vec::new();
        let mut numbers = Vec::new();
        for (
            kind,
            ScopedInstances {
                instances,
                in_scope: kept,
                ..
            },
        ) in kinds.iter().enumerate()
        {
            let mut of_kind = vec![None; instances.list.len()];
            for (at, number) in of_kind.iter_mut().enumerate().filter(|(at, _)| kept[*at]) {
                *number = Some(list.len());
                list.push((kind, at));
            }
            numbers.push(of_kind);
        }
        let systems = kinds.iter().map(|k| k.instances.entity.system.as_str());
        NamedRuns {
            systems: systems.collect(),
            kinds,
            list,
            numbers,
        }
    }

    /// Whether the data has no named run, in scope or not.
    pub(crate) fn is_empty(&self) -> bool {
        self.kinds.iter().all(|k| k.instances.list.is_empty())
    }

    /// Number of runs in scope.
    pub(crate) fn count(&self) -> usize {
        self.list.len()
    }

    /// Whether instances can only belong to named runs, because their system names its runs.
    pub(crate) fn covers(&self, instances: &Instances) -> bool {
        !self.is_empty() && self.systems.contains(instances.entity.system.as_str())
    }

    /// Number of the run of an event; the last one if it names several.
    pub(crate) fn run_of(&self, event: EventId) -> Option<usize> {
        let mut last = None;
        for (kind, numbers) in self.kinds.iter().zip(&self.numbers) {
            kind.instances
                .for_each_of_event(event, |at| last = last.max(numbers[at]));
        }
        last
    }

    /// Folders of the runs.
    pub(crate) fn folders(&self, snapshot: &Snapshot) -> FxHashSet<String> {
        let each = self.list.iter().map(|(kind, at)| {
            let instances = self.kinds[*kind].instances;
            run_folder(snapshot, instances, &instances.list[*at])
        });
        each.collect()
    }

    /// Rows of the runs with their counts, without ambiguous runs. `None` when cancelled.
    pub(crate) fn runs(
        &self,
        snapshot: &Snapshot,
        run_counts: Vec<RunCounts>,
        cancel: &Cancel,
    ) -> Option<Vec<RunRow>> {
        let times = self.kinds.iter();
        let times = times.map(|kind| recorded_times(snapshot, kind.instances, cancel));
        let times: Vec<_> = times.collect::<Option<_>>()?;
        let mut out: Vec<RunRow> = Vec::with_capacity(self.list.len());
        for ((kind, at), counts) in self.list.iter().zip(run_counts) {
            let instances = self.kinds[*kind].instances;
            let instance = &instances.list[*at];
            let id = instances.id(snapshot, instance);
            let label = instances.label(snapshot, instance);
            let name = label.unwrap_or_else(|| instances.short_name(snapshot, instance));
            let range = match (instance.range, times[*kind].get(at).copied()) {
                (Some(seen), Some(recorded)) => {
                    Some((seen.0.min(recorded.0), seen.1.max(recorded.1)))
                }
                (seen, recorded) => seen.or(recorded),
            };
            let run = counts.into_run(&instances.entity.name, id, range);
            out.push(RunRow {
                name,
                entity: instances.entity.name.clone(),
                title: instances.entity.title.clone(),
                folder: run_folder(snapshot, instances, instance),
                events: instances.event_count(instance) as u64,
                ..run
            });
        }
        remove_ambiguous_runs(&self.kinds, &mut out);
        Some(out)
    }
}

/// Removes false runs: those whose records name a run ambiguously (by the number of its folder), so
/// that no work was seen to begin in it, and those with another spelling of the id of a run with
/// work at the same time.
fn remove_ambiguous_runs(kinds: &[ScopedInstances<'_>], runs: &mut Vec<RunRow>) {
    let is_exact = |run: &RunRow| {
        let mut entities = kinds.iter().map(|kind| &kind.instances.entity);
        let of = entities.find(|entity| entity.name == run.entity);
        let keys = of.and_then(|entity| entity.id.first());
        keys.is_some_and(|keys| keys.iter().eq(run.id.iter().map(|p| &p.0)))
    };
    let exact = runs.iter().filter(|r| is_exact(r));
    let exact: FxHashSet<(String, String)> =
        exact.map(|r| (r.entity.clone(), r.name.clone())).collect();
    let with_work = runs.iter().filter(|run| run.work_items.begun > 0);
    let with_work: Vec<RunRow> = with_work.cloned().collect();
    let is_same = |run: &RunRow, other: &RunRow| {
        let overlap = run.start <= other.end && other.start <= run.end;
        run.entity == other.entity && run.name == other.name && overlap
    };
    runs.retain(|run| {
        let has_exact_duplicate = || exact.contains(&(run.entity.clone(), run.name.clone()));
        let is_same_run = || with_work.iter().any(|other| is_same(run, other));
        run.work_items.begun > 0 || (is_exact(run) || !has_exact_duplicate()) && !is_same_run()
    });
}

/// Folder of the first log among the sources of an instance's events, or else of the first source.
/// Of a record with duplicates the log that begins last counts: a process with two runs continues
/// to write to the log of the first.
fn run_folder(snapshot: &Snapshot, instances: &Instances, instance: &Instance) -> String {
    let source = |id| Some(snapshot.event(id)?.source());
    let latest = |id: EventId| {
        let group = snapshot.duplicates.group(id.0).map(EventId);
        let logs = group
            .filter_map(source)
            .filter(|s| !s.has_trait(SourceTrait::Table));
        logs.max_by_key(|s| s.first())
    };
    let log = instances.find_event(instance, latest);
    let any = log.or_else(|| instances.find_event(instance, source));
    let path = any.map(|s| s.path.clone()).unwrap_or_default();
    path.rsplit_once('/')
        .map_or(String::new(), |(folder, _)| folder.to_owned())
}
