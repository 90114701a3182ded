//! Conflicts: several right values for one left value, spelled out.

use std::sync::Arc;

use widetui_core::dict::Code;
use widetui_core::ids::{EventId, KeyId};
use widetui_store::Snapshot;
use widetui_store::lanes::Usual;

use crate::rounds::CompiledJoin;
use crate::table::{Disagreement, JoinTable};

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

/// A group that is in conflict, by its codes.
#[derive(Clone, Debug)]
pub(crate) struct Blocked {
    /// Those of the left keys that are keys of the run, in the order of the join.
    pub group: Box<[Code]>,
    /// The right key.
    key: KeyId,
    values: Disagreement,
}

/// All conflicts of a join. What the codes are is a matter of how a run was read, so all of these are alike.
#[derive(Clone, Debug, Default)]
pub struct AllBlocked(pub(crate) Arc<[Blocked]>);

impl PartialEq for AllBlocked {
    fn eq(&self, _: &AllBlocked) -> bool {
        true
    }
}

impl Eq for AllBlocked {}

/// The conflicts of a join, in the order of the groups.
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

/// Some conflicts of a join with these left keys, spelled out: as many as are listed.
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

/// Whether a key is one of the run, and none that only joins know.
fn is_known(snapshot: &Snapshot, key: KeyId) -> bool {
    key.index() < snapshot.catalog.keys.len()
}
