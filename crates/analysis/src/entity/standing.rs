//! How goals stand: whether they were begun, whether they ended.

use rayon::prelude::*;

use super::{End, Instance, Instances, Standing};
use widetui_store::Snapshot;

/// How all instances of a goal stand.
pub fn standings(snapshot: &Snapshot, instances: &Instances) -> Vec<Standing> {
    let of = |i: &Instance| instances.standing(snapshot, i);
    instances.list.par_iter().map(of).collect()
}

/// Whether an instance was begun, or given to whoever would begin it, and not only named by others.
pub fn has_begun(instances: &Instances, instance: &Instance) -> bool {
    match &instances.entity.start {
        Some(_) => instance.start.is_some() || instances.given(instance).is_some(),
        None if instances.entity.state.is_some() => !instances.changes(instance).is_empty(),
        None => instance.range.is_some(),
    }
}

/// Whether an instance ended.
pub fn has_ended(standing: &Standing) -> bool {
    standing.is_final || standing.end != End::Open
}
