//! Counts of instances in a state: when an owner reports that none is left in a state, the instances last reported in it have
//! left it, even without a record of their own.

use rustc_hash::FxHashMap;

use widetui_core::dict::Code;
use widetui_core::ids::{EventId, KeyId};
use widetui_store::Snapshot;

use crate::entity::Instance;
use crate::entity::plan::EntityPlan;

/// That none is in a state.
#[derive(Clone, Debug)]
pub(super) struct NoneLeft {
    /// When, UTC ns.
    pub time: i64,
    /// The record.
    pub event: EventId,
    /// The kind of its source: it counts what it told of itself.
    pub kind: String,
    /// The state.
    pub state: String,
}

/// All such records, by what they are about: the first key of an id, and its value.
#[derive(Debug, Default)]
pub(super) struct Census {
    of: FxHashMap<(KeyId, Code), Vec<NoneLeft>>,
    /// The keys by which instances are counted, by alternative.
    keys: Vec<Option<KeyId>>,
}

impl Census {
    /// Of a run. Where an id has one key only, nothing says whose all of them are.
    pub fn read(snapshot: &Snapshot, plan: &EntityPlan) -> Census {
        let mut out = Census::default();
        let Some((events, state, _)) = &plan.census else {
            return out;
        };
        let of_several = |id: &Vec<KeyId>| id.first().copied().filter(|_| id.len() > 1);
        out.keys = plan.ids.iter().map(of_several).collect();
        for id in events.ids() {
            let Some(event) = snapshot.event(id) else {
                continue;
            };
            let mut owners: Vec<(KeyId, Code)> = Vec::new();
            let mut named = None;
            event.for_each_code(|key, codes, _| {
                let [code] = codes else { return };
                let view = snapshot.catalog.keys.get(key);
                let known = out.keys.contains(&Some(key));
                if let Some(view) = view.as_ref().filter(|_| known) {
                    owners.push((key, view.dict.canonical(*code)));
                }
                if key == *state {
                    named = view.and_then(|view| view.spelling(*code));
                }
            });
            let (Some(time), Some(state)) = (event.time(), named) else {
                continue;
            };
            let left = NoneLeft {
                time,
                event: id,
                kind: event.source().kind.clone(),
                state,
            };
            for owner in owners {
                out.of.entry(owner).or_default().push(left.clone());
            }
        }
        out.of
            .values_mut()
            .for_each(|all| all.sort_by_key(|left| left.time));
        out
    }

    /// The first record by which an instance that came to a state at a moment is in it no more.
    pub fn left(&self, instance: &Instance, state: &str, since: i64) -> Option<&NoneLeft> {
        let key = self
            .keys
            .get(usize::from(instance.alternative))
            .copied()??;
        let all = self.of.get(&(key, *instance.id.first()?))?;
        all.iter()
            .find(|left| left.time >= since && left.state == state)
    }
}
