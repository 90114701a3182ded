//! Number of resources over time: the number of items that could run at once.

use std::sync::Arc;

use crate::instances::SnapshotInstances;
use widetui_analysis::Entity;
use widetui_analysis::resources::{Resources, resources_of};
use widetui_analysis::scope::AnalysisScope;
use widetui_analysis::step_function::StepFunction;
use widetui_analysis::utilisation::{Weight, utilisation};
use widetui_core::cancel::Cancel;
use widetui_store::Snapshot;

use super::EntityInstances;

/// Returns the instances of a resource entity, with their lifetimes.
pub(super) fn resources(
    snapshot: &Snapshot,
    resource: &Arc<Entity>,
    entities: &[Arc<Entity>],
    seen: &SnapshotInstances,
) -> Option<Resources> {
    let outer = resources_of(resource, entities).into_iter();
    let known = |of: &Arc<Entity>| {
        let mut known = seen.found.occurring.iter();
        known.find(|i| i.entity.name == of.name).cloned()
    };
    let all = Resources::from_kinds(snapshot, outer.chain([resource]).filter_map(known));
    let mut all = all.into_iter();
    all.rfind(|c| c.instances.entity.name == resource.name)
}

/// Returns the number of resources over time, if these are the innermost ones that items run on: only of the innermost
/// is one busy per running item. Counts as `widetui utilisation` does.
pub(super) fn capacity(
    snapshot: &Snapshot,
    found: &EntityInstances,
    (resources, entities): (&Resources, &[Arc<Entity>]),
    seen: &SnapshotInstances,
    scope: &AnalysisScope,
    cancel: &Cancel,
) -> Option<StepFunction> {
    let all = resources_of(&found.entity, entities).into_iter().rev();
    let is_known = |name: &str| {
        let mut known = seen.found.occurring.iter();
        known.any(|i| i.entity.name == name && !i.list.is_empty())
    };
    let innermost = { all }.find(|c| is_known(&c.name))?;
    if innermost.name != resources.instances.entity.name {
        return None;
    }
    let weight = Weight::One;
    let used = utilisation(snapshot, found, Some(resources), scope, &weight, cancel)?;
    Some(used.capacity).filter(|c| !c.points.is_empty())
}
