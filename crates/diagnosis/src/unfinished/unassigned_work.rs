//! Unfinished work on a resource that no record assigns to a work item: the resource is not idle.
//!
//! Some logs number the same work twice, once where it is asked for and once where it is done, and no record has both
//! numbers.

use rustc_hash::FxHashMap;

use widetui_analysis::entity::{Instance, Instances};
use widetui_core::ids::EventId;
use widetui_store::Snapshot;

use crate::unfinished::model::UnfinishedWork;
use widetui_analysis::entity::AllInstances;
use widetui_analysis::entity::Id;

/// Run of a resource, and the part of its id that is a place of work items; other keys only name the run.
pub(crate) type Spot = (Option<usize>, Id);

/// Run of a resource or of work on it, from its events.
pub(crate) fn run_of(
    snapshot: &Snapshot,
    hung: &UnfinishedWork,
    carriers: &Instances,
    carrier: &Instance,
) -> Option<usize> {
    carriers.find_event(carrier, |id| {
        let source = snapshot.event(id)?.source().id;
        hung.of_source.get(source.index()).copied().flatten()
    })
}

/// Name and place of unassigned work.
pub(crate) type UnassignedWork = (String, Id);

/// Unassigned unfinished work by resource, with the keys that identify the resource. A resource that began other work
/// afterwards has released it.
pub(crate) fn look(
    snapshot: &Snapshot,
    found: &AllInstances,
    out: &UnfinishedWork,
    keys: &[String],
) -> FxHashMap<Spot, UnassignedWork> {
    let spot = |attempts: &Instances, attempt: &Instance| -> Option<Spot> {
        let places = attempts.places(snapshot, attempt);
        let place = |key: &String| places.iter().find(|p| p.0 == *key).cloned();
        let placed = keys.iter().map(place).collect::<Option<Id>>()?;
        Some((run_of(snapshot, out, attempts, attempt), placed))
    };
    let mut open: FxHashMap<Spot, (i64, UnassignedWork)> = FxHashMap::default();
    for attempts in attempts_of(found) {
        for attempt in &attempts.list {
            let standing = attempts.standing(snapshot, attempt);
            let Some(start) = standing.start.filter(|_| standing.end.time().is_none()) else {
                continue;
            };
            if is_known(found, attempts, attempt) {
                continue;
            }
            let Some(spot) = spot(attempts, attempt) else {
                continue;
            };
            if open.get(&spot).is_none_or(|known| known.0 < start) {
                let title = &attempts.entity.title;
                let name = format!("{title} {}", attempts.short_name(snapshot, attempt));
                let place = attempts.places(snapshot, attempt);
                open.insert(spot, (start, (name, place)));
            }
        }
    }
    let Some(earliest) = open.values().map(|o| o.0).min() else {
        return FxHashMap::default();
    };
    for attempts in attempts_of(found) {
        for attempt in &attempts.list {
            let start = attempts.standing(snapshot, attempt).start;
            let Some(start) = start.filter(|start| *start > earliest) else {
                continue;
            };
            if let Some(spot) = spot(attempts, attempt)
                && open.get(&spot).is_some_and(|known| known.0 < start)
            {
                open.remove(&spot);
            }
        }
    }
    open.into_iter()
        .map(|(spot, (_, work))| (spot, work))
        .collect()
}

/// Entities with begin and end that are neither work items nor resources.
fn attempts_of(found: &AllInstances) -> impl Iterator<Item = &Instances> {
    found
        .occurring
        .iter()
        .filter(|i| i.entity.start.is_some() && !i.entity.is_work_item() && !i.entity.is_resource())
}

/// Whether a record of an attempt is about a work item too.
fn is_known(found: &AllInstances, attempts: &Instances, attempt: &Instance) -> bool {
    let is_of_goal = |id: &u32| {
        found.work_items().any(|goals| {
            let mut is = false;
            goals.for_each_of_event(EventId(*id), |_| is = true);
            is
        })
    };
    attempts.events(attempt).iter().any(is_of_goal)
}
