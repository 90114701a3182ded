//! Table of a join: the known right values of each group, that is, of each combination of left
//! values.

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::dict::{Code, ENTRY, NONE};
use widetui_core::ids::EventId;
use widetui_definition::semantics::MAX_BY;

/// Maximum number of left keys of a join, including keys that exist only inside joins.
pub(crate) const MAX_LEFT_KEYS: usize = MAX_BY + 1;

/// Values of the left keys in the order of the join; unused elements are `NONE`.
pub(crate) type Tuple = [Code; MAX_LEFT_KEYS];

/// Marks several values of a right key: no event receives one.
pub(crate) const CONFLICT: Code = NONE - 2;

/// Maximum number of conflicting values that are kept per group and right key.
const MAX_CONFLICT_VALUES: usize = 8;

/// Effect of adding evidence to a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableChange {
    /// The table already had the value.
    None,
    /// The value is the first one of its group and right key.
    First,
    /// The value is the second one: the group is now in conflict.
    Conflict,
}

/// Groups that share the values of all left keys but one, indexed by the value of that key.
#[derive(Debug, Default)]
pub(crate) struct GroupIndex {
    /// Groups of codes that are numbers, and of codes that are dictionary entries.
    dense: [Vec<u32>; 2],
    sparse: FxHashMap<Code, u32>,
}

/// Marks elements of `GroupIndex::dense` without a group.
const NO_GROUP: u32 = u32::MAX;

impl GroupIndex {
    /// Group with this value of the last key.
    #[inline]
    pub fn get(&self, last: Code) -> Option<u32> {
        let (list, at) = dense_position(last);
        match self.dense[list].get(at) {
            Some(&NO_GROUP) | None => {}
            Some(&group) => return Some(group),
        }
        if self.sparse.is_empty() {
            return None;
        }
        self.sparse.get(&last).copied()
    }

    /// Adds a group for a value of the last key.
    fn insert(&mut self, last: Code, group: u32) {
        // Codes that increase from a small number index a vector; other codes are hashed.
        let (list, at) = dense_position(last);
        let list = &mut self.dense[list];
        if at < 2 * list.len() + 1024 {
            if at >= list.len() {
                list.resize(at + 1, NO_GROUP);
            }
            list[at] = group;
        } else {
            self.sparse.insert(last, group);
        }
    }
}

/// Vector of `GroupIndex::dense`, and the index in it, for a code.
#[inline]
fn dense_position(code: Code) -> (usize, usize) {
    match code < ENTRY {
        true => (0, code as usize),
        false => (1, (code & !ENTRY) as usize),
    }
}

/// Conflicting values, each with an event that states it.
pub(crate) type Disagreement = Vec<(Code, EventId)>;

/// Groups of one join with their right values.
#[derive(Debug)]
pub(crate) struct JoinTable {
    /// Index of the left key with the most values: for each combination of the others, groups are
    /// indexed by its value.
    inner: usize,
    right_count: usize,
    /// Prefix that was added to last, and its level.
    last: (Tuple, u32),
    prefix_numbers: FxHashMap<Tuple, u32>,
    group_indices: Vec<GroupIndex>,
    tuples: Vec<Tuple>,
    /// Values of all cells.
    pub(crate) values: Vec<Code>,
    stating_events: Vec<EventId>,
    /// Cells (group and right key) with several values; they stay blocked across restarts.
    blocked: FxHashSet<u32>,
    disagreements: FxHashMap<u32, Disagreement>,
    keeps_all_values: bool,
    /// True if a group with a conflict has no value at all, as its right keys identify one instance together.
    pub(crate) is_whole: bool,
    /// Index of the last left key, if a conflict refutes all groups that differ in its value alone.
    pub(crate) last_key: Option<usize>,
    /// Number of each combination of left values without the last key.
    scopes: FxHashMap<Tuple, u32>,
    /// Number in `scopes` of each group, if there is a last key.
    scope_of: Vec<u32>,
    /// True for scopes of which a group has a conflict.
    refuted: Vec<bool>,
}

impl JoinTable {
    /// Creates a table for `right` right keys. `inner` is the index of the left key with the most
    /// values; `keeps_sets` keeps all values of a conflict.
    pub(crate) fn new(inner: usize, right: usize, keeps_sets: bool) -> JoinTable {
        JoinTable {
            inner,
            right_count: right,
            last: ([NONE; MAX_LEFT_KEYS], NO_GROUP),
            prefix_numbers: FxHashMap::default(),
            group_indices: Vec::new(),
            tuples: Vec::new(),
            values: Vec::new(),
            stating_events: Vec::new(),
            blocked: FxHashSet::default(),
            disagreements: FxHashMap::default(),
            keeps_all_values: keeps_sets,
            is_whole: false,
            last_key: None,
            scopes: FxHashMap::default(),
            scope_of: Vec::new(),
            refuted: Vec::new(),
        }
    }

    /// Tuple without the key that indexes the groups.
    #[inline]
    fn prefix(&self, tuple: &Tuple) -> Tuple {
        let mut prefix = *tuple;
        prefix[self.inner] = NONE;
        prefix
    }

    /// Number of the group with these left values, if the table has it.
    pub(crate) fn group(&self, tuple: &Tuple) -> Option<u32> {
        self.group_index(tuple)?.get(tuple[self.inner])
    }

    /// Index in the tuples of the left key with the most values.
    pub(crate) fn inner(&self) -> usize {
        self.inner
    }

    /// Groups that share the values of all left keys but the one with the most values.
    pub(crate) fn group_index(&self, tuple: &Tuple) -> Option<&GroupIndex> {
        let level = self.prefix_numbers.get(&self.prefix(tuple))?;
        self.group_indices.get(*level as usize)
    }

    /// Value of a right key in a group: `NONE`, `CONFLICT` or a code.
    #[inline]
    pub(crate) fn value(&self, group: u32, right: usize) -> Code {
        let first = group as usize * self.right_count;
        if self.is_whole && self.values[first..first + self.right_count].contains(&CONFLICT) {
            return CONFLICT;
        }
        let scope = self.scope_of.get(group as usize);
        match self.values[first + right] {
            NONE => NONE,
            _ if scope.is_some_and(|scope| self.refuted[*scope as usize]) => CONFLICT,
            code => code,
        }
    }

    /// True if a group has several values of a right key.
    pub(crate) fn has_conflict(&self, group: u32, right: usize) -> bool {
        self.values[group as usize * self.right_count + right] == CONFLICT
    }

    /// True if a group has a value, alone or among others.
    pub(crate) fn states(&self, code: Code) -> bool {
        let mut cells = 0..self.values.len() as u32;
        let right = self.right_count.max(1) as u32;
        cells.any(|cell| {
            let values = self.values_of(cell / right, (cell % right) as usize);
            values.contains(&code)
        })
    }

    /// All values of a right key in a group, also conflicting ones.
    pub(crate) fn values_of(&self, group: u32, right: usize) -> Vec<Code> {
        let cell = group * self.right_count as u32 + right as u32;
        match self.values[cell as usize] {
            NONE => Vec::new(),
            CONFLICT => self
                .disagreements
                .get(&cell)
                .map(|d| d.iter().map(|(code, _)| *code).collect())
                .unwrap_or_default(),
            code => vec![code],
        }
    }

    /// True if the table keeps nothing more of a value of a right key in a group.
    pub(crate) fn knows(&self, group: u32, right: usize, code: Code) -> bool {
        let cell = group as usize * self.right_count + right;
        match self.values[cell] {
            CONFLICT => self.disagreements.get(&(cell as u32)).is_some_and(|known| {
                known.iter().any(|(c, _)| *c == code)
                    || !self.keeps_all_values && known.len() >= MAX_CONFLICT_VALUES
            }),
            value => value == code,
        }
    }

    /// Adds evidence: `witness` states the value `code` of right key `right` for a group.
    pub(crate) fn add(
        &mut self,
        tuple: &Tuple,
        right: usize,
        code: Code,
        witness: EventId,
    ) -> TableChange {
        let group = self.group_or_insert(tuple);
        if self.knows(group, right, code) {
            return TableChange::None;
        }
        let cell = group as usize * self.right_count + right;
        match self.values[cell] {
            NONE => {
                self.values[cell] = code;
                self.stating_events[cell] = witness;
                TableChange::First
            }
            CONFLICT => {
                let known = self.disagreements.entry(cell as u32).or_default();
                known.push((code, witness));
                TableChange::None
            }
            other => {
                self.values[cell] = CONFLICT;
                if let Some(scope) = self.scope_of.get(group as usize) {
                    self.refuted[*scope as usize] = true;
                }
                self.blocked.insert(cell as u32);
                let both = vec![(other, self.stating_events[cell]), (code, witness)];
                self.disagreements.insert(cell as u32, both);
                TableChange::Conflict
            }
        }
    }

    /// Group of a tuple, created if missing.
    fn group_or_insert(&mut self, tuple: &Tuple) -> u32 {
        let prefix = self.prefix(tuple);
        if self.last.0 != prefix || self.last.1 == NO_GROUP {
            let next = self.group_indices.len() as u32;
            let level = *self.prefix_numbers.entry(prefix).or_insert(next);
            if level == next {
                self.group_indices.push(GroupIndex::default());
            }
            self.last = (prefix, level);
        }
        let level = &mut self.group_indices[self.last.1 as usize];
        if let Some(group) = level.get(tuple[self.inner]) {
            return group;
        }
        let group = self.tuples.len() as u32;
        level.insert(tuple[self.inner], group);
        self.tuples.push(*tuple);
        if let Some(last) = self.last_key {
            let mut scope = *tuple;
            scope[last] = NONE;
            let next = self.refuted.len() as u32;
            let scope = *self.scopes.entry(scope).or_insert(next);
            if scope == next {
                self.refuted.push(false);
            }
            self.scope_of.push(scope);
        }
        self.values
            .extend(std::iter::repeat_n(NONE, self.right_count));
        let witnesses = std::iter::repeat_n(EventId(u32::MAX), self.right_count);
        self.stating_events.extend(witnesses);
        group
    }

    /// Number of cells with several values.
    pub(crate) fn conflict_count(&self) -> usize {
        self.blocked.len()
    }

    /// Resets all values except conflicts to earlier ones of the table; to none beyond their end.
    pub(crate) fn reset(&mut self, earlier: &[Code]) {
        let earlier = earlier.iter().copied().chain(std::iter::repeat(NONE));
        for (value, earlier) in self.values.iter_mut().zip(earlier) {
            if *value != CONFLICT {
                *value = earlier;
            }
        }
    }

    /// Number of groups with a value or a conflict.
    pub(crate) fn groups(&self) -> usize {
        let known = |values: &[Code]| values.iter().any(|v| *v != NONE);
        self.values
            .chunks(self.right_count.max(1))
            .filter(|v| known(v))
            .count()
    }

    /// Conflicts ordered by tuple: the tuple, the index of the right key, and the values with an
    /// event each.
    pub(crate) fn conflicts(&self) -> Vec<(Tuple, usize, Disagreement)> {
        let of = |cell: &u32| {
            let group = *cell as usize / self.right_count;
            let known = self.disagreements.get(cell).cloned().unwrap_or_default();
            (self.tuples[group], *cell as usize % self.right_count, known)
        };
        let mut out: Vec<_> = self.blocked.iter().map(of).collect();
        for (_, _, values) in &mut out {
            values.sort_unstable();
        }
        out.sort_unstable();
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tuple(a: Code, b: Code) -> Tuple {
        let mut t = [NONE; MAX_LEFT_KEYS];
        t[0] = a;
        t[1] = b;
        t
    }

    proptest! {
        /// The table is a map from tuples to sets of values, whatever the order of additions. A conflict refutes the groups
        /// that differ in the last key.
        #[test]
        fn a_table_is_a_map_of_sets(inner in 0usize..2, last_key in prop_oneof![Just(None), Just(Some(1))], adds in prop::collection::vec((0u32..4, prop_oneof![0u32..40, 1u32<<31..(1u32<<31)+9, Just(2_000_000)], 0usize..2, 0u32..3), 0..200)) {
            use std::collections::{BTreeMap, BTreeSet};
            let mut table = JoinTable::new(inner, 2, true);
            table.last_key = last_key;
            let mut oracle: BTreeMap<(u32, u32, usize), BTreeSet<u32>> = BTreeMap::new();
            for (a, b, right, code) in adds {
                table.add(&tuple(a, b), right, code, EventId(0));
                oracle.entry((a, b, right)).or_default().insert(code);
            }
            let several = oracle.iter().filter(|(_, set)| set.len() > 1);
            let refuted: BTreeSet<u32> = several.clone().map(|((a, ..), _)| *a).collect();
            prop_assert_eq!(table.conflicts().len(), several.count());
            for ((a, b, right), set) in oracle {
                let group = table.group(&tuple(a, b)).unwrap();
                let known: BTreeSet<u32> = table.values_of(group, right).into_iter().collect();
                prop_assert_eq!(&known, &set);
                let value = table.value(group, right);
                let is_refuted = last_key.is_some() && refuted.contains(&a);
                prop_assert_eq!(value == CONFLICT, set.len() > 1 || is_refuted);
            }
        }
    }
}
