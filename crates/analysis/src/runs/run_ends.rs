//! Ends of runs: an instance without an end lasts until the end of its own run, even if other runs
//! in the data last longer.

use std::sync::Arc;

use crate::Instances;
use crate::entity::{Entity, Instance, scan_all};
use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_definition::semantics::EntityRole;
use widetui_store::Snapshot;

use crate::runs::{Runs, runs_of_owners};

/// Last time of each run in the data.
#[derive(Debug)]
pub struct RunEnds {
    /// Runs; `None` unless there are several.
    runs: Option<Runs>,
    last: i64,
}

impl RunEnds {
    /// Ends of the runs of the instances of some entities, found in one scan. `None` when cancelled.
    pub fn of<'e>(
        snapshot: &Snapshot,
        entities: impl IntoIterator<Item = &'e Arc<Entity>>,
        cancel: &Cancel,
    ) -> Option<RunEnds> {
        let runs = entities.into_iter().flat_map(|entity| {
            let itself = Some(entity).filter(|e| e.role == EntityRole::Run);
            entity.run_entity.iter().chain(itself)
        });
        let mut wanted: Vec<Arc<Entity>> = Vec::new();
        for run in runs.filter(|run| has_several_runs(snapshot, run)) {
            if !wanted.contains(run) {
                wanted.push(run.clone());
            }
        }
        let mut out = RunEnds {
            runs: None,
            last: snapshot.range().map_or(0, |r| r.1),
        };
        if !wanted.is_empty() {
            let owners = scan_all(snapshot, &wanted, &[], cancel)?;
            let runs = runs_of_owners(snapshot, owners.iter());
            out.runs = Some(runs).filter(|runs| runs.list.len() > 1);
        }
        Some(out)
    }

    /// End of all data, UTC ns.
    pub fn last(&self) -> i64 {
        self.last
    }

    /// Last time of the run of an instance, UTC ns; of all data if its run is unknown.
    pub fn end_for_instance(
        &self,
        snapshot: &Snapshot,
        of: &Instances,
        instance: &Instance,
    ) -> i64 {
        let Some(runs) = &self.runs else {
            return self.last;
        };
        let by_id = runs.run_of_instance(of, instance);
        let by_name = || runs.by_label(snapshot, of, instance);
        let by_events = || of.find_event(instance, |event| self.run_of(snapshot, event));
        self.end(by_id.or_else(by_name).or_else(by_events))
    }

    /// Last time of the run of an event, UTC ns; of all data if its run is unknown.
    pub(crate) fn end_for_event(&self, snapshot: &Snapshot, event: EventId) -> i64 {
        self.end(self.run_of(snapshot, event))
    }

    /// Returns `end` if it precedes the end of all data (both UTC ns).
    pub(crate) fn if_before_last(&self, end: i64) -> Option<i64> {
        (end < self.last).then_some(end)
    }

    /// Run of an event, by its values or its source.
    fn run_of(&self, snapshot: &Snapshot, event: EventId) -> Option<usize> {
        let runs = self.runs.as_ref()?;
        let by_source = || {
            let source = snapshot.event(event)?.source().id;
            runs.of_source.get(source.index()).copied().flatten()
        };
        runs.run_of_event(snapshot, event).or_else(by_source)
    }

    /// Last time of a run, UTC ns; of all data for `None`.
    fn end(&self, run: Option<usize>) -> i64 {
        let runs = self.runs.as_ref().zip(run);
        let range = runs.and_then(|(runs, at)| runs.list.get(at)?.range);
        range.map_or(self.last, |r| r.1)
    }
}

/// Whether the data has more than one run of an entity.
fn has_several_runs(snapshot: &Snapshot, run: &Entity) -> bool {
    let keys = &snapshot.catalog.keys;
    let known = run
        .id
        .iter()
        .flatten()
        .filter_map(|key| keys.get(keys.find(key)?));
    let mut known = known.map(|view| {
        // Compare canonical values, which may have several spellings.
        let mut values = view.dict.iter().map(|(code, _)| view.dict.canonical(code));
        let first = values.next();
        values.any(|value| Some(value) != first)
    });
    known.any(|are_several| are_several)
}
