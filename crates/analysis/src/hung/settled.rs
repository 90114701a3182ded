//! How goals stand, with what records tell of them that do not say whose they are about.

use crate::entity::{Instances, Standing};
use widetui_core::cancel::Cancel;
use widetui_store::Snapshot;

use super::AllInstances;
use super::runs::{self, Runs};
use super::standing::standings;
use super::unplaced::{self, Unplaced};

/// How all instances of a goal stand, and what is told of such work without saying whose it is: what must have ended by that
/// stands so. Whoever counts what ended asks here, so all say the same. `None` when cancelled.
pub(super) fn settle(
    snapshot: &Snapshot,
    instances: &Instances,
    runs: &Runs,
    cancel: &Cancel,
) -> Option<(Vec<Standing>, Unplaced)> {
    let mut standings = standings(snapshot, instances);
    let unplaced = unplaced::look(snapshot, instances, &mut standings, runs, cancel)?;
    Some((standings, unplaced))
}

/// How all instances of a goal stand, as [`super::hung()`] takes it. `None` when cancelled.
pub(crate) fn settled(
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
