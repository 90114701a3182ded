//! Resources that had ended when work was sent to them: an agent that had exited, a worker that had been removed.

use rustc_hash::FxHashMap;

use widetui_analysis::Instances;
use widetui_analysis::entity::Instance;
use widetui_store::Snapshot;

use crate::unfinished::model::FailedDependency;
use widetui_analysis::entity::AllInstances;
use widetui_analysis::entity::Id;
use widetui_analysis::entity::has_ended;

/// Resources of a kind of work item that ended and did not return.
pub(crate) struct Gone {
    /// Depth of the place key and end of the resource, by place.
    all: FxHashMap<Id, (usize, FailedDependency)>,
}

impl Gone {
    /// Collects the ended resources.
    pub fn of(snapshot: &Snapshot, found: &AllInstances, goals: &Instances) -> Gone {
        let mut all = FxHashMap::default();
        let system = &goals.entity.system;
        let is_own = |of: &&Instances| of.entity.is_resource() && of.entity.system == *system;
        for carriers in found.occurring.iter().filter(is_own) {
            let last = carriers.entity.id.iter().filter_map(|id| id.last());
            let rank = |key| goals.entity.place_keys.iter().position(|k| k == key);
            let Some(rank) = last.filter_map(rank).max() else {
                continue;
            };
            for carrier in &carriers.list {
                if let Some(end) = end_of(snapshot, carriers, carrier) {
                    all.insert(carriers.id(snapshot, carrier), (rank, end));
                }
            }
        }
        Gone { all }
    }

    /// Innermost ended resource among the places of a work item, if it ended before the item entered its state, UTC
    /// ns. The run may be a part of the item's own id.
    pub(crate) fn before(
        &self,
        place: &Id,
        id: &Id,
        since: Option<i64>,
    ) -> Option<FailedDependency> {
        let since = since?;
        let is_named = |key: &Id| {
            let mut pairs = key.iter();
            pairs.all(|pair| place.contains(pair) || id.contains(pair))
                && key.last().is_some_and(|pair| place.contains(pair))
        };
        let mut fitting: Vec<&(usize, FailedDependency)> = Vec::new();
        // Usually a single place key identifies the resource, and the rest of its id only names the run.
        for pair in place {
            let runs = id.iter().filter(|other| other != &pair);
            let alone = std::iter::once(vec![pair.clone()]);
            let keys = runs.map(|run| vec![run.clone(), pair.clone()]).chain(alone);
            fitting.extend(keys.filter(is_named).filter_map(|key| self.all.get(&key)));
        }
        let (_, end) = fitting.into_iter().max_by_key(|found| found.0)?;
        (end.time? <= since).then(|| end.clone())
    }
}

/// End of a resource, if it ended and has no later record of its own.
fn end_of(
    snapshot: &Snapshot,
    carriers: &Instances,
    carrier: &Instance,
) -> Option<FailedDependency> {
    let standing = carriers.standing(snapshot, carrier);
    if !has_ended(&standing) || !standing.is_final {
        return None;
    }
    let state = standing.state.map(usize::from);
    let state = state.and_then(|s| carriers.states.get(s)).cloned();
    let failed = &carriers.entity.failed_states;
    let number = carriers.short_name(snapshot, carrier);
    Some(FailedDependency {
        name: format!("{} {number}", carriers.entity.title),
        is_failure: state.as_ref().is_some_and(|s| failed.contains(s)),
        state,
        time: standing.end.time().or(standing.state_since),
    })
}
