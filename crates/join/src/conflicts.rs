//! Conflicts of joins: several values of a right key for one group, with their spellings.

use std::sync::Arc;

use widetui_core::dict::Code;
use widetui_core::ids::{EventId, KeyId};
use widetui_store::Snapshot;
use widetui_store::lanes::Usual;

use crate::rounds::CompiledJoin;
use crate::table::{Disagreement, JoinTable};

/// Maximum number of conflicts of a join that are listed with spellings.
const EXAMPLES: usize = 100;

/// Group whose events report several values of a right key; no event receives one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Left keys of the group and their values.
    pub group: Vec<(String, String)>,
    /// Right key in conflict.
    pub key: String,
    /// Conflicting values, each with an event that reports it (`None` if the first record of a file
    /// and its path imply it).
    pub values: Vec<(String, Option<EventId>)>,
}

/// Conflict of a group, as codes.
#[derive(Clone, Debug)]
pub(crate) struct Blocked {
    /// Codes of the left keys in the order of the join, without keys that exist only inside joins.
    pub group: Box<[Code]>,
    /// Right key in conflict.
    key: KeyId,
    values: Disagreement,
}

/// All conflicts of a join. Always equal to each other, because codes depend on the order in which
/// a run was read.
#[derive(Clone, Debug, Default)]
pub struct AllBlocked(pub(crate) Arc<[Blocked]>);

impl PartialEq for AllBlocked {
    fn eq(&self, _: &AllBlocked) -> bool {
        true
    }
}

impl Eq for AllBlocked {}

/// Collects the conflicts of a join, ordered by group.
pub(crate) fn blocked(snapshot: &Snapshot, join: &CompiledJoin, table: &JoinTable) -> AllBlocked {
    if join.among_copies {
        return AllBlocked::default();
    }
    let conflicts = table.conflicts().into_iter();
    AllBlocked(
        conflicts
            .map(|(tuple, right, values)| Blocked {
                group: { join.by.iter().zip(tuple) }
                    .filter(|(key, _)| is_known(snapshot, **key))
                    .map(|(_, code)| code)
                    .collect(),
                key: join.gives[right],
                values,
            })
            .collect(),
    )
}

/// Spells out the first [`EXAMPLES`] conflicts of a join with the left keys `by`.
pub(crate) fn examples<'b>(
    snapshot: &Snapshot,
    by: &[KeyId],
    blocked: impl Iterator<Item = &'b Blocked>,
    usual: &Usual,
) -> Vec<Conflict> {
    let name = |key: KeyId| snapshot.catalog.keys.name(key).to_owned();
    let spelling = |key: KeyId, code: Code| usual.text(snapshot, key, code);
    let conflict = |blocked: &Blocked| Conflict {
        group: { by.iter().filter(|key| is_known(snapshot, **key)) }
            .zip(&blocked.group)
            .map(|(key, code)| (name(*key), spelling(*key, *code)))
            .collect(),
        key: name(blocked.key),
        values: { blocked.values.iter() }
            .map(|(code, event)| {
                let event = (event.0 != u32::MAX).then_some(*event);
                (spelling(blocked.key, *code), event)
            })
            .collect(),
    };
    blocked.take(EXAMPLES).map(conflict).collect()
}

/// Whether a key occurs in the run, and not only inside joins.
fn is_known(snapshot: &Snapshot, key: KeyId) -> bool {
    key.index() < snapshot.catalog.keys.len()
}
