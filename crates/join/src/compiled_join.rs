//! Joins compiled for one snapshot.

use rustc_hash::FxHashMap;

use widetui_core::ids::KeyId;
use widetui_query::Selection;
use widetui_query::bits::Bits;

use crate::derived_values::{GroupColumns, GroupDerivations, JoinIndex};
use crate::spec::Receivers;

/// Join compiled for one snapshot: names are resolved to keys, conditions to selections.
#[derive(Debug)]
pub(crate) struct CompiledJoin {
    /// Index of the join in the order of names.
    pub(crate) index: JoinIndex,
    /// Left keys of the join, resolved.
    pub(crate) left_keys: Vec<KeyId>,
    /// Left key of the ids of processes, if the join is by processes.
    pub(crate) process_id: Option<ProcessIdKey>,
    /// Index in `left_keys` of the left key with the most values.
    pub(crate) inner: usize,
    /// Right keys of the join, resolved.
    pub(crate) right_keys: Vec<KeyId>,
    /// Right keys that are scopes: the index of each, with the index of the right key that it scopes.
    pub(crate) scopes: FxHashMap<usize, usize>,
    /// Events that take part; `None` for all.
    pub(crate) participants: Option<Selection>,
    /// Events whose values are evidence; `None` for all that take part.
    pub(crate) evidence: Option<Selection>,
    /// True if only doubtful records receive values, each one of its candidates.
    pub(crate) only_duplicates: bool,
    /// True if the right keys identify one instance together: a group with a conflict has no value.
    pub(crate) is_whole: bool,
    /// True if the left keys lack some that identify an instance: one group with a conflict refutes all that differ from it
    /// in the last left key alone.
    pub(crate) is_reduced: bool,
    /// Scope of a left key, if equal values of it may be several instances.
    pub(crate) scope: Option<Box<CompiledScope>>,
    /// True if several values of a right key contradict nothing: an instance that carries several others, or a value that is
    /// unique within a scope alone.
    pub(crate) is_open: bool,
    /// Sources whose records may receive values.
    pub(crate) receivers: Receivers,
}

/// Left key of the ids of processes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProcessIdKey {
    /// Key that exists only inside joins: the id of the process that a record is about.
    pub(crate) subject: KeyId,
    /// Key of the run: the id of the process that writes a record.
    pub(crate) writer: KeyId,
}

/// Scope of a left key of a join: of values that occur in several scopes, the scope is part of the group.
#[derive(Debug)]
pub(crate) struct CompiledScope {
    /// Index of the key among the left keys.
    pub(crate) slot: usize,
    /// Index of the join that gives a value its scope.
    pub(crate) join: usize,
    /// Keys of the scope, the right keys of that join.
    pub(crate) keys: Vec<KeyId>,
    /// Number of keys, the last ones, that stand in for the others in records that lack those.
    pub(crate) stand_ins: usize,
}

impl CompiledJoin {
    /// True if the group of a record depends on the values of a key.
    pub(crate) fn is_by(&self, key: KeyId) -> bool {
        let scope = self.scope.iter().flat_map(|scope| &scope.keys);
        self.left_keys.iter().chain(scope).any(|k| *k == key)
    }

    /// Left keys under the names of the run.
    pub(crate) fn named_left_keys(&self) -> Vec<KeyId> {
        let named = |key: &KeyId| match self.process_id {
            Some(id) if id.subject == *key => id.writer,
            _ => *key,
        };
        self.left_keys.iter().map(named).collect()
    }

    /// Builds the columns of the left keys and their scope; false if a left key has no value.
    pub(crate) fn build_left(&self, columns: &mut GroupColumns<'_>) -> bool {
        let is_complete = { self.left_keys.iter() }.all(|key| columns.build(*key));
        for key in self.scope.iter().flat_map(|scope| &scope.keys) {
            columns.build(*key);
        }
        is_complete && !self.left_keys.is_empty()
    }

    /// Rows of a segment that take part; `None` for all.
    pub(crate) fn participating_rows(&self, segment: usize) -> Option<&Bits> {
        self.participants.as_ref().and_then(|s| s.segment(segment))
    }

    /// True if another join changed, in the last round, a key of the group that satisfies `keys`.
    pub(crate) fn is_concerned_by(
        &self,
        group: &GroupDerivations,
        keys: impl Fn(&CompiledJoin, KeyId) -> bool,
    ) -> bool {
        group
            .changed
            .iter()
            .any(|(key, join)| *join != self.index && keys(self, *key))
    }
}
