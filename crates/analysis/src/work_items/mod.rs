//! Standings of work items, including ends that are only reported by records without a run.

use crate::entity::{AllInstances, Instances, Standing, standings};
use crate::runs;
use crate::runs::Runs;
use widetui_core::cancel::Cancel;
use widetui_store::Snapshot;

mod unassigned;

pub use unassigned::Unassigned;

/// How all instances of a goal stand, and what is told of such work without saying whose it is: what must have ended by that
/// stands so. Whoever counts what ended asks here, so all say the same. `None` when cancelled.
pub fn settle(
    snapshot: &Snapshot,
    instances: &Instances,
    runs: &Runs,
    cancel: &Cancel,
) -> Option<(Vec<Standing>, Unassigned)> {
    let mut standings = standings(snapshot, instances);
    let unplaced = unassigned::find(snapshot, instances, &mut standings, runs, cancel)?;
    Some((standings, unplaced))
}

/// How all instances of a goal stand, as [`crate::hung()`] takes it. `None` when cancelled.
pub fn settled(
    snapshot: &Snapshot,
    found: &AllInstances,
    instances: &Instances,
    cancel: &Cancel,
) -> Option<Vec<Standing>> {
    // Where each record says whose it is, nobody needs to know which runs there are.
    if instances.undecided == 0 {
        return Some(standings(snapshot, instances));
    }
    let runs = runs::runs(snapshot, found);
    settle(snapshot, instances, &runs, cancel).map(|(standings, _)| standings)
}
