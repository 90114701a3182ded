//! Standings of work items, including ends that are only reported by unassigned records.

use crate::entity::{AllInstances, Instances, Standing, standings};
use crate::runs;
use crate::runs::Runs;
use widetui_core::cancel::Cancel;
use widetui_store::Snapshot;

mod unassigned;

pub use unassigned::Unassigned;

/// Computes the standings of all work items of an entity, and the unassigned records about such
/// work. Ends that follow from unassigned records are applied. All callers that count ended work
/// use this function, so that they agree. `None` when cancelled.
pub fn standings_and_unassigned(
    snapshot: &Snapshot,
    instances: &Instances,
    runs: &Runs,
    cancel: &Cancel,
) -> Option<(Vec<Standing>, Unassigned)> {
    let mut standings = standings(snapshot, instances);
    let unplaced = unassigned::find_unassigned(snapshot, instances, &mut standings, runs, cancel)?;
    Some((standings, unplaced))
}

/// Same as [`standings_and_unassigned`], without the unassigned records. `None` when cancelled.
pub(crate) fn work_item_standings(
    snapshot: &Snapshot,
    found: &AllInstances,
    instances: &Instances,
    cancel: &Cancel,
) -> Option<Vec<Standing>> {
    // Without undecided records the runs are not needed.
    if instances.undecided_events == 0 {
        return Some(standings(snapshot, instances));
    }
    let runs = runs::find_runs(snapshot, found);
    standings_and_unassigned(snapshot, instances, &runs, cancel).map(|(standings, _)| standings)
}
