//! How many of what carries things there are over time: how many of them could run at once.

use std::sync::Arc;

use crate::analysis::Entity;
use crate::analysis::carriers::{Carriers, carriers_of};
use crate::analysis::scope::AnalysisScope;
use crate::analysis::steps::Steps;
use crate::analysis::utilisation::{Weight, utilisation};
use crate::base::cancel::Cancel;
use crate::store::Snapshot;
use crate::workspace::things::Seen;

use super::Picked;

/// The carriers over time, where these are the innermost that things run in: only of such as many are busy as things run.
/// As `widetui utilisation` counts them.
pub(super) fn capacity(
    snapshot: &Snapshot,
    found: &Picked,
    (carrier, entities): (&Entity, &[Arc<Entity>]),
    seen: &Seen,
    scope: &AnalysisScope,
    cancel: &Cancel,
) -> Option<Steps> {
    let all = carriers_of(&found.entity, entities).into_iter().rev();
    let known = |name: &str| {
        let mut known = seen.found.all.iter();
        known.find(|i| i.entity.name == name && !i.list.is_empty())
    };
    let innermost = all.into_iter().find_map(|c| known(&c.name))?;
    if innermost.entity.name != carrier.name {
        return None;
    }
    let carriers = Carriers::of_instances(snapshot, innermost.clone());
    let weight = Weight::One;
    let used = utilisation(snapshot, found, Some(&carriers), scope, &weight, cancel)?;
    Some(used.capacity).filter(|c| !c.points.is_empty())
}
