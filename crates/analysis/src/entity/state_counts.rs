//! Counts of instances in a state: when an owner reports that none is left in a state, the instances last reported in it have
//! left it, even without a record of their own.

use rustc_hash::FxHashMap;

use widetui_core::dict::Code;
use widetui_core::ids::{EventId, KeyId};
use widetui_store::Snapshot;

use crate::entity::Instance;
use crate::entity::plan::EntityPlan;

/// Record stating that no instance is left in a state.
#[derive(Clone, Debug)]
pub(super) struct EmptyStateRecord {
    /// Time of the record, UTC ns.
    pub(crate) time: i64,
    /// Id of the record.
    pub(crate) event: EventId,
    /// Kind of its source, which counts only states that it reported itself.
    pub(crate) kind: String,
    /// Name of the state.
    pub(crate) state: String,
}

/// Records of empty states by owner: the first key of an id, and its value.
#[derive(Debug, Default)]
pub(super) struct StateCounts {
    by_owner: FxHashMap<(KeyId, Code), Vec<EmptyStateRecord>>,
    /// Key of the owner for each alternative id.
    owner_keys: Vec<Option<KeyId>>,
}

impl StateCounts {
    /// Reads the records of a run. An id with a single key has no owner.
    pub(crate) fn read(snapshot: &Snapshot, plan: &EntityPlan) -> StateCounts {
        let mut out = StateCounts::default();
        let Some((events, state, _)) = &plan.state_counts else {
            return out;
        };
        let of_several = |id: &Vec<KeyId>| id.first().copied().filter(|_| id.len() > 1);
        out.owner_keys = plan.ids.iter().map(of_several).collect();
        for id in events.ids() {
            let Some(event) = snapshot.event(id) else {
                continue;
            };
            let mut owners: Vec<(KeyId, Code)> = Vec::new();
            let mut state_name = None;
            event.for_each_code(|key, codes, _| {
                let [code] = codes else { return };
                let view = snapshot.catalog.keys.get(key);
                let known = out.owner_keys.contains(&Some(key));
                if let Some(view) = view.as_ref().filter(|_| known) {
                    owners.push((key, view.dict.canonical(*code)));
                }
                if key == *state {
                    state_name = view.and_then(|view| view.spelling(*code));
                }
            });
            let (Some(time), Some(state)) = (event.time(), state_name) else {
                continue;
            };
            let left = EmptyStateRecord {
                time,
                event: id,
                kind: event.source().kind.clone(),
                state,
            };
            for owner in owners {
                out.by_owner.entry(owner).or_default().push(left.clone());
            }
        }
        // The number of the single instance in a state looks like a count, but is the number of no other state.
        out.by_owner
            .retain(|_, all| all.iter().any(|left| left.state != all[0].state));
        out.by_owner
            .values_mut()
            .for_each(|all| all.sort_by_key(|left| left.time));
        out
    }

    /// First record by which an instance has left a state that it entered at `entered` (UTC ns).
    pub(crate) fn first_empty(
        &self,
        instance: &Instance,
        state: &str,
        entered: i64,
    ) -> Option<&EmptyStateRecord> {
        let key = self
            .owner_keys
            .get(usize::from(instance.alternative))
            .copied()??;
        let all = self.by_owner.get(&(key, *instance.id.first()?))?;
        all.iter()
            .find(|left| left.time >= entered && left.state == state)
    }
}
