//! Conflicts of joins: several values of a right key for one group, with their spellings.

use std::sync::Arc;

use widetui_core::dict::Code;
use widetui_core::ids::{EventId, KeyId};
use widetui_store::Snapshot;
use widetui_store::key_column::UsualSpellings;

use crate::compiled_join::CompiledJoin;
use crate::table::{Disagreement, JoinTable};

/// Maximum number of conflicts of a join that are listed with spellings.
const MAX_EXAMPLES: usize = 100;

/// Group whose events report several values of a right key; no event receives one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Left keys of the group and their values.
    pub group: Vec<(String, String)>,
    /// Name of the right key in conflict.
    pub key: String,
    /// Conflicting values, each with an event that reports it (`None` if the first record of a file
    /// and its path imply it).
    pub values: Vec<(String, Option<EventId>)>,
}

/// Conflict of a group, as codes.
#[derive(Clone, Debug)]
pub(crate) struct ConflictCodes {
    /// Codes of the left keys in the order of the join, without keys that exist only inside joins.
    pub group: Box<[Code]>,
    /// Right key in conflict.
    key: KeyId,
    values: Disagreement,
}

/// All conflicts of a join. Always equal to each other, because codes depend on the order in which
/// a run was read.
#[derive(Clone, Debug, Default)]
pub struct AllConflicts(pub(crate) Arc<[ConflictCodes]>);

impl PartialEq for AllConflicts {
    fn eq(&self, _: &AllConflicts) -> bool {
        true
    }
}

impl Eq for AllConflicts {}

/// Collects the conflicts of a join, ordered by group.
pub(crate) fn collect_conflicts(
    snapshot: &Snapshot,
    join: &CompiledJoin,
    table: &JoinTable,
) -> AllConflicts {
    if join.only_duplicates
        || join.is_open
        || join
            .right_keys
            .iter()
            .any(|key| !is_run_key(snapshot, *key))
    {
        return AllConflicts::default();
    }
    let conflicts = table.conflicts().into_iter();
    let left_keys = join.named_left_keys();
    AllConflicts(
        conflicts
            .map(|(tuple, right, values)| ConflictCodes {
                group: { left_keys.iter().zip(tuple) }
                    .filter(|(key, _)| is_run_key(snapshot, **key))
                    .map(|(_, code)| code)
                    .collect(),
                key: join.right_keys[right],
                values,
            })
            .collect(),
    )
}

/// Spells out the first [`MAX_EXAMPLES`] conflicts of a join with the given left keys.
pub(crate) fn spell_out<'b>(
    snapshot: &Snapshot,
    left_keys: &[KeyId],
    conflicts: impl Iterator<Item = &'b ConflictCodes>,
    usual: &UsualSpellings,
) -> Vec<Conflict> {
    let name = |key: KeyId| snapshot.catalog.keys.name(key).to_owned();
    let spelling = |key: KeyId, code: Code| usual.text(snapshot, key, code);
    let conflict = |conflicts: &ConflictCodes| Conflict {
        group: { left_keys.iter().filter(|key| is_run_key(snapshot, **key)) }
            .zip(&conflicts.group)
            .map(|(key, code)| (name(*key), spelling(*key, *code)))
            .collect(),
        key: name(conflicts.key),
        values: { conflicts.values.iter() }
            .map(|(code, event)| {
                let event = (event.0 != u32::MAX).then_some(*event);
                (spelling(conflicts.key, *code), event)
            })
            .collect(),
    };
    conflicts.take(MAX_EXAMPLES).map(conflict).collect()
}

/// Whether a key occurs in the run, and not only inside joins.
fn is_run_key(snapshot: &Snapshot, key: KeyId) -> bool {
    key.index() < snapshot.catalog.keys.len()
}
