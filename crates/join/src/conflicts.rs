//! Conflicts of joins: several values of a right key for one group, or of two joins for one event,
//! with their spellings.

use std::collections::BTreeMap;
use std::sync::Arc;

use widetui_core::dict::{Code, NONE};
use widetui_core::ids::{EventId, KeyId};
use widetui_core::words::key_words;
use widetui_store::Snapshot;
use widetui_store::key_column::UsualSpellings;

use crate::compiled_join::CompiledJoin;
use crate::derived_values::JoinIndex;
use crate::rounds::BlockedCells;
use crate::spec::Join;
use crate::table::{CONFLICT, Disagreement, JoinTable};

/// Maximum number of conflicts of a join that are listed with spellings.
const MAX_EXAMPLES: usize = 100;

/// Group whose events report several values of a right key, or events for which two joins derive
/// different values; no event receives one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Name of the join that derives another value for the same events; `None` if the events of the
    /// group disagree.
    pub rival: Option<String>,
    /// Left keys of the group and their values; empty with a rival.
    pub group: Vec<(String, String)>,
    /// Name of the right key in conflict.
    pub key: String,
    /// Conflicting values, each with an event that reports it (`None` if the first record of a file
    /// and its path imply it).
    pub values: Vec<(String, Option<EventId>)>,
}

impl Conflict {
    /// Events in conflict: the values that they share, or the rival join.
    pub fn subject(&self) -> String {
        let shared = |(key, value): &(String, String)| format!("{} {value}", key_words(key));
        match &self.rival {
            Some(rival) => format!("widened by {rival} too"),
            None => Vec::from_iter(self.group.iter().map(shared)).join(" · "),
        }
    }
}

impl ConflictCodes {
    /// Events that report the values.
    pub(crate) fn events(&self) -> impl Iterator<Item = EventId> {
        self.values.iter().map(|(_, event)| *event)
    }
}

/// Conflict of a group or between two joins, as codes.
#[derive(Clone, Debug)]
pub(crate) struct ConflictCodes {
    /// Codes of the left keys in the order of the join, without keys that exist only inside joins.
    pub group: Box<[Code]>,
    /// Name of the join that derives another value for the same events.
    pub(crate) rival: Option<Arc<str>>,
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
) -> Vec<ConflictCodes> {
    if join.only_duplicates
        || join.is_open
        || join
            .right_keys
            .iter()
            .any(|key| !is_run_key(snapshot, *key))
    {
        return Vec::new();
    }
    let conflicts = table.conflicts().into_iter();
    let left_keys = join.named_left_keys();
    conflicts
        .map(|(tuple, right, values)| ConflictCodes {
            group: { left_keys.iter().zip(tuple) }
                .filter(|(key, _)| is_run_key(snapshot, **key))
                .map(|(_, code)| code)
                .collect(),
            rival: None,
            key: join.right_keys[right],
            values,
        })
        .collect()
}

/// Conflicts of a join with other joins: each pair of values once, with the first event that would
/// receive both.
pub(crate) fn collect_rivals(
    snapshot: &Snapshot,
    join: &CompiledJoin,
    joins: &[&Join],
    blocked: &[BlockedCells],
) -> Vec<ConflictCodes> {
    let mut first: BTreeMap<(KeyId, Code, JoinIndex, Code), EventId> = BTreeMap::new();
    let of_run = { blocked.iter().flatten() }.filter(|((_, key), _)| is_run_key(snapshot, *key));
    for ((event, key), [a, b]) in of_run {
        let ((own, _), (other, rival)) = match (a.1 == join.index, b.1 == join.index) {
            (true, false) => (a, b),
            (false, true) => (b, a),
            // A value that the join itself withdrew, as its group is in conflict.
            _ => continue,
        };
        if [NONE, CONFLICT]
            .iter()
            .any(|code| [own, other].contains(&code))
        {
            continue;
        }
        let event = *event;
        let known = first.entry((*key, *own, *rival, *other)).or_insert(event);
        *known = event.min(*known);
    }
    let mut conflicts: Vec<ConflictCodes> = first
        .into_iter()
        .map(|((key, own, rival, other), event)| ConflictCodes {
            group: Box::default(),
            rival: { joins.get(usize::from(rival)) }.map(|join| join.name.as_str().into()),
            key,
            values: vec![(own, event), (other, event)],
        })
        .collect();
    conflicts.sort_by_key(|conflict| conflict.values.first().map(|value| value.1));
    conflicts
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
        rival: conflicts.rival.as_deref().map(str::to_owned),
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
