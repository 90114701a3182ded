//! Instances that are in a state at the end of a time window.

use widetui_core::cancel::Cancel;
use widetui_store::Snapshot;
use widetui_time::time::NO_TIME;

use crate::Instances;
use crate::columns::EventProperty;
use crate::entity::{Instance, StateChange};
use crate::instance_groups::{InstanceGroup, group_instances};
use crate::scope::AnalysisScope;
use crate::states::ReporterChoice;

/// Instances of a scope that are in the same state at the end of its window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateMembers {
    /// Instances (indices into `Instances::list`), and the value of the property that they share.
    pub group: InstanceGroup,
    /// Index into `Instances::states`.
    pub state: usize,
}

/// Groups instances by a property, if there is one, and by their last state, as [`states`](crate::states::states) counts
/// them. `None` when cancelled.
pub fn group_by_last_state(
    snapshot: &Snapshot,
    instances: &Instances,
    scope: &AnalysisScope,
    (reporters, group_by): (&ReporterChoice, Option<&EventProperty>),
    cancel: &Cancel,
) -> Option<Vec<StateMembers>> {
    let kept = scope.contains_instances(snapshot, instances);
    let groups = match group_by {
        Some(by) => group_instances(snapshot, instances, &kept, by, cancel)?,
        None => vec![InstanceGroup {
            name: String::new(),
            members: (0..kept.len()).filter(|at| kept[*at]).collect(),
        }],
    };
    let is_within = |t: i64| t == NO_TIME || scope.window.until.is_none_or(|until| t < until);
    let last_state = |instance: &Instance| {
        let reported = reporters.state_changes(instances, instance);
        let is_timed = reported.iter().any(|c| c.time != NO_TIME);
        let counted = |c: &&StateChange| is_within(c.time) && (c.time != NO_TIME || !is_timed);
        { reported.iter().filter(counted) }.fold(None, |now: Option<u16>, change| match now {
            Some(now) if instances.is_ignored_after(now, change.state) => Some(now),
            _ => Some(change.state),
        })
    };
    let mut out = Vec::new();
    for group in groups {
        let mut of_states = vec![Vec::new(); instances.states.len()];
        for at in group.members {
            if at % 1024 == 0 && cancel.is_cancelled() {
                return None;
            }
            let state = instances.list.get(at).and_then(last_state);
            if let Some(members) = state.and_then(|state| of_states.get_mut(usize::from(state))) {
                members.push(at);
            }
        }
        let of_states = of_states.into_iter().enumerate();
        out.extend(
            of_states
                .filter(|(_, members)| !members.is_empty())
                .map(|(state, members)| StateMembers {
                    group: InstanceGroup {
                        name: group.name.clone(),
                        members,
                    },
                    state,
                }),
        );
    }
    Some(out)
}
