//! The keys of an entity by their numbers among all that are looked at.

use widetui_core::ids::KeyId;

use crate::entity::plan::EntityPlan;
use crate::entity::shared_columns::KeyNumber;

/// The keys of a plan by their numbers.
#[derive(Debug)]
pub(super) struct KeyNumbers {
    /// By alternative.
    pub ids: Vec<Vec<KeyNumber>>,
    /// The last key of each id.
    pub last: Vec<KeyNumber>,
    pub labels: Vec<KeyNumber>,
    pub places: Vec<KeyNumber>,
    pub state: Option<KeyNumber>,
    /// Who is waited for, who waits for it.
    pub others: Vec<(KeyNumber, Option<u8>)>,
}

impl KeyNumbers {
    /// Of a plan; `keys` are all that are looked at.
    pub fn new(plan: &EntityPlan, keys: &[KeyId]) -> KeyNumbers {
        let number = |key: &KeyId| keys.iter().position(|k| k == key).unwrap_or_default();
        let all = |keys: &Vec<KeyId>| -> Vec<KeyNumber> { keys.iter().map(number).collect() };
        let ids: Vec<Vec<KeyNumber>> = plan.ids.iter().map(all).collect();
        let mut last: Vec<KeyNumber> = ids.iter().filter_map(|id| id.last().copied()).collect();
        last.dedup();
        KeyNumbers {
            ids,
            last,
            labels: all(&plan.labels),
            places: all(&plan.places),
            state: plan.state.as_ref().map(number),
            others: {
                let waits = plan.waits.iter().zip(0u8..);
                let waits = waits.map(|(key, at)| (number(&key.0), Some(at)));
                let awaited = plan.awaited.iter().map(|key| (number(&key.0), None));
                waits.chain(awaited).collect()
            },
        }
    }
}
