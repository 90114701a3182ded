//! Groups of a join: the known right values for each value of the left keys.

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::dict::{Code, ENTRY, NONE};
use widetui_core::ids::EventId;

/// A join has at most this many left keys.
pub const MAX_LEFT: usize = 6;

/// Values of the left keys, in their order; the rest is `NONE`.
pub type Tuple = [Code; MAX_LEFT];

/// Several values of a right key: nobody receives one.
pub const CONFLICT: Code = NONE - 2;

/// Values of a right key in conflict that are remembered, for each group.
const REMEMBERED: usize = 8;

/// What an addition changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableChange {
    /// It was known.
    None,
    /// The first value.
    First,
    /// A second value: now in conflict.
    Conflict,
}

/// The groups with the same values of all left keys but one, by that one.
#[derive(Debug, Default)]
pub struct GroupIndex {
    /// Numbers; entries of the dictionary.
    dense: [Vec<u32>; 2],
    sparse: FxHashMap<Code, u32>,
}

/// Marks places of `GroupIndex::dense` without a group.
const NO_GROUP: u32 = u32::MAX;

impl GroupIndex {
    /// The group.
    #[inline]
    pub fn get(&self, last: Code) -> Option<u32> {
        let (list, at) = dense(last);
        match self.dense[list].get(at) {
            Some(&NO_GROUP) | None => {}
            Some(&group) => return Some(group),
        }
        if self.sparse.is_empty() {
            return None;
        }
        self.sparse.get(&last).copied()
    }

    fn insert(&mut self, last: Code, group: u32) {
        // Numbers that count up from somewhere small are places of a vector; all others are hashed.
        let (list, at) = dense(last);
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

/// Which vector, and which place in it, a code would have.
#[inline]
fn dense(code: Code) -> (usize, usize) {
    match code < ENTRY {
        true => (0, code as usize),
        false => (1, (code & !ENTRY) as usize),
    }
}

/// Values in conflict, and an event that names each.
pub type Disagreement = Vec<(Code, EventId)>;

/// The groups of one join, with what each says of the right keys.
#[derive(Debug)]
pub struct JoinTable {
    /// Which left key varies most: groups lie in a vector by its value, for each combination of the others.
    inner: usize,
    right: usize,
    /// The combination that was added to last, and its number.
    last: (Tuple, u32),
    prefixes: FxHashMap<Tuple, u32>,
    levels: Vec<GroupIndex>,
    tuples: Vec<Tuple>,
    values: Vec<Code>,
    witnesses: Vec<EventId>,
    /// Sets with more than one value: they stay blocked whatever happens.
    blocked: FxHashSet<u32>,
    disagreements: FxHashMap<u32, Disagreement>,
    keeps_sets: bool,
}

impl JoinTable {
    /// Of a join with so many right keys; `inner` is the left key that varies most. `keeps_sets`: all values of a conflict
    /// are wanted.
    pub fn new(inner: usize, right: usize, keeps_sets: bool) -> JoinTable {
        JoinTable {
            inner,
            right,
            last: ([NONE; MAX_LEFT], NO_GROUP),
            prefixes: FxHashMap::default(),
            levels: Vec::new(),
            tuples: Vec::new(),
            values: Vec::new(),
            witnesses: Vec::new(),
            blocked: FxHashSet::default(),
            disagreements: FxHashMap::default(),
            keeps_sets,
        }
    }

    #[inline]
    fn prefix(&self, tuple: &Tuple) -> Tuple {
        let mut prefix = *tuple;
        prefix[self.inner] = NONE;
        prefix
    }

    /// The group of a tuple.
    pub fn group(&self, tuple: &Tuple) -> Option<u32> {
        self.level(tuple)?.get(tuple[self.inner])
    }

    /// Which left key varies most: its place in the tuples.
    pub fn inner(&self) -> usize {
        self.inner
    }

    /// The groups with these values of all left keys but the one that varies most.
    pub fn level(&self, tuple: &Tuple) -> Option<&GroupIndex> {
        let level = self.prefixes.get(&self.prefix(tuple))?;
        self.levels.get(*level as usize)
    }

    /// What a group says of a right key: `NONE`, `CONFLICT` or its value.
    #[inline]
    pub fn value(&self, group: u32, right: usize) -> Code {
        self.values[group as usize * self.right + right]
    }

    /// All values of a right key in a group.
    pub fn set(&self, group: u32, right: usize) -> Vec<Code> {
        let cell = group * self.right as u32 + right as u32;
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

    /// Adds evidence.
    pub fn add(
        &mut self,
        tuple: &Tuple,
        right: usize,
        code: Code,
        witness: EventId,
    ) -> TableChange {
        let group = self.take(tuple);
        let cell = group as usize * self.right + right;
        match self.values[cell] {
            NONE => {
                self.values[cell] = code;
                self.witnesses[cell] = witness;
                TableChange::First
            }
            CONFLICT => {
                let known = self.disagreements.entry(cell as u32).or_default();
                if known.iter().all(|(c, _)| *c != code)
                    && (self.keeps_sets || known.len() < REMEMBERED)
                {
                    known.push((code, witness));
                }
                TableChange::None
            }
            same if same == code => TableChange::None,
            other => {
                self.values[cell] = CONFLICT;
                self.blocked.insert(cell as u32);
                let both = vec![(other, self.witnesses[cell]), (code, witness)];
                self.disagreements.insert(cell as u32, both);
                TableChange::Conflict
            }
        }
    }

    /// The group of a tuple, made if there is none.
    fn take(&mut self, tuple: &Tuple) -> u32 {
        let prefix = self.prefix(tuple);
        if self.last.0 != prefix || self.last.1 == NO_GROUP {
            let next = self.levels.len() as u32;
            let level = *self.prefixes.entry(prefix).or_insert(next);
            if level == next {
                self.levels.push(GroupIndex::default());
            }
            self.last = (prefix, level);
        }
        let level = &mut self.levels[self.last.1 as usize];
        if let Some(group) = level.get(tuple[self.inner]) {
            return group;
        }
        let group = self.tuples.len() as u32;
        level.insert(tuple[self.inner], group);
        self.tuples.push(*tuple);
        self.values.extend(std::iter::repeat_n(NONE, self.right));
        let witnesses = std::iter::repeat_n(EventId(u32::MAX), self.right);
        self.witnesses.extend(witnesses);
        group
    }

    /// Forgets what was derived: all values but the conflicts.
    pub fn restart(&mut self) {
        for (cell, value) in self.values.iter_mut().enumerate() {
            if !self.blocked.contains(&(cell as u32)) {
                *value = NONE;
            }
        }
    }

    /// Number of groups of which something is known.
    pub fn groups(&self) -> usize {
        let known = |values: &[Code]| values.iter().any(|v| *v != NONE);
        self.values
            .chunks(self.right.max(1))
            .filter(|v| known(v))
            .count()
    }

    /// The conflicts: the group's tuple, which right key, the values with an event each. In the order of the tuples.
    pub fn conflicts(&self) -> Vec<(Tuple, usize, Disagreement)> {
        let of = |cell: &u32| {
            let group = *cell as usize / self.right;
            let known = self.disagreements.get(cell).cloned().unwrap_or_default();
            (self.tuples[group], *cell as usize % self.right, known)
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
        let mut t = [NONE; MAX_LEFT];
        t[0] = a;
        t[1] = b;
        t
    }

    proptest! {
        /// The table is a map from tuples to sets of values, whatever the order of additions.
        #[test]
        fn a_table_is_a_map_of_sets(inner in 0usize..2, adds in prop::collection::vec((0u32..4, prop_oneof![0u32..40, 1u32<<31..(1u32<<31)+9, Just(2_000_000)], 0usize..2, 0u32..3), 0..200)) {
            use std::collections::{BTreeMap, BTreeSet};
            let mut table = JoinTable::new(inner, 2, true);
            let mut oracle: BTreeMap<(u32, u32, usize), BTreeSet<u32>> = BTreeMap::new();
            for (a, b, right, code) in adds {
                table.add(&tuple(a, b), right, code, EventId(0));
                oracle.entry((a, b, right)).or_default().insert(code);
            }
            let conflicts = oracle.values().filter(|s| s.len() > 1).count();
            prop_assert_eq!(table.conflicts().len(), conflicts);
            for ((a, b, right), set) in oracle {
                let group = table.group(&tuple(a, b)).unwrap();
                let known: BTreeSet<u32> = table.set(group, right).into_iter().collect();
                prop_assert_eq!(&known, &set);
                let value = table.value(group, right);
                prop_assert_eq!(value == CONFLICT, set.len() > 1);
            }
        }
    }
}
