//! Keys of an entity as numbers among the keys of the scan.

use widetui_core::ids::KeyId;

use crate::entity::plan::EntityPlan;
use crate::entity::shared_columns::KeyNumber;

/// Keys of a plan as numbers among the keys of the scan.
#[derive(Debug)]
pub(super) struct KeyNumbers {
    /// Keys of each alternative id.
    pub(crate) ids: Vec<Vec<KeyNumber>>,
    /// Last key of each id.
    pub(crate) last_keys: Vec<KeyNumber>,
    /// Label keys.
    pub(crate) labels: Vec<KeyNumber>,
    /// Place keys, outermost first.
    pub(crate) places: Vec<KeyNumber>,
    /// Key that names the new state.
    pub(crate) state: Option<KeyNumber>,
    /// Keys that name dependencies, with their index in the plan, and the key that names waiting
    /// instances (`None`).
    pub(crate) dependencies: Vec<(KeyNumber, Option<u8>)>,
}

impl KeyNumbers {
    /// Numbers of a plan's keys; `keys` are all keys of the scan.
    pub(crate) fn new(plan: &EntityPlan, keys: &[KeyId]) -> KeyNumbers {
        let number = |key: &KeyId| keys.iter().position(|k| k == key).unwrap_or_default();
        let all = |keys: &Vec<KeyId>| -> Vec<KeyNumber> { keys.iter().map(number).collect() };
        let ids: Vec<Vec<KeyNumber>> = plan.ids.iter().map(all).collect();
        let mut last: Vec<KeyNumber> = ids.iter().filter_map(|id| id.last().copied()).collect();
        last.dedup();
        KeyNumbers {
            ids,
            last_keys: last,
            labels: all(&plan.labels),
            places: all(&plan.places),
            state: plan.state.as_ref().map(number),
            dependencies: {
                let waits = plan.dependencies.iter().zip(0u8..);
                let waits = waits.map(|(key, at)| (number(&key.0), Some(at)));
                let awaited = plan.awaited_by.iter().map(|key| (number(&key.0), None));
                waits.chain(awaited).collect()
            },
        }
    }
}
