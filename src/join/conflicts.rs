//! Conflicts, spelled out.

use crate::base::dict::Code;
use crate::base::ids::{EventId, KeyId};
use crate::store::Snapshot;
use crate::store::lanes::Usual;

use super::rounds::CompiledJoin;
use super::table::JoinTable;

/// Conflicts of a join that are spelled out.
const EXAMPLES: usize = 100;

/// A group whose events disagree about a right key: nobody receives a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The group: left keys and their values.
    pub group: Vec<(String, String)>,
    /// The right key.
    pub key: String,
    /// The values, each with an event that names it (`None` for what the first record of a file and its path say).
    pub values: Vec<(String, Option<EventId>)>,
}

/// The first conflicts of a join, in the order of the groups.
pub(super) fn examples(
    snapshot: &Snapshot,
    join: &CompiledJoin,
    table: &JoinTable,
    usual: &Usual,
) -> Vec<Conflict> {
    if join.among_copies {
        return Vec::new();
    }
    let name = |key: KeyId| snapshot.catalog.keys.name(key).to_owned();
    let spelling = |key: KeyId, code: Code| usual.text(snapshot, key, code);
    let known = |key: &KeyId| key.index() < snapshot.catalog.keys.len();
    table
        .conflicts()
        .into_iter()
        .take(EXAMPLES)
        .map(|(tuple, right, values)| Conflict {
            group: join
                .by
                .iter()
                .zip(tuple)
                .filter(|(key, _)| known(key))
                .map(|(key, code)| (name(*key), spelling(*key, code)))
                .collect(),
            key: name(join.gives[right]),
            values: values
                .into_iter()
                .map(|(code, event)| {
                    let event = (event.0 != u32::MAX).then_some(event);
                    (spelling(join.gives[right], code), event)
                })
                .collect(),
        })
        .collect()
}
