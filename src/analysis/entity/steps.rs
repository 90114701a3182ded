//! A map from pairs to numbers that are counted up: steps from a number, by a value, to the next.
//!
//! ```text
//! rows    by number: its first step, which is the only one of most (the try of a task)
//! tables  of numbers with more, by value from a least one: values are mostly counted up (the tasks of a run)
//! far     what lies so far from the others that a table would be empty between them
//! ```
//!
//! Numbers that steps begin at are themselves counted up, so nearly all steps are found without a hash.

use rustc_hash::FxHashMap;

use crate::base::dict::Code;

/// Nothing.
const EMPTY: u32 = u32::MAX;

/// A table has at most so many places, and so many more for each value in it.
const PLACES: u64 = 64;
const PLACES_A_VALUE: u64 = 8;

/// What is known of the steps from a number.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// The first one, if there is any.
    code: Code,
    to: u32,
    /// The table of the others, if there are some.
    table: u32,
}

const NO_STEPS: Row = Row {
    code: EMPTY,
    to: EMPTY,
    table: EMPTY,
};

/// Steps from one number, by value.
#[derive(Clone, Debug, Default)]
struct Table {
    /// The value of the first place.
    least: Code,
    places: Vec<u32>,
    values: u64,
}

impl Table {
    #[inline]
    fn get(&self, code: Code) -> Option<u32> {
        let to = self.places.get(code.wrapping_sub(self.least) as usize);
        to.copied().filter(|to| *to != EMPTY)
    }

    /// Takes over a step, unless it lies too far from the others.
    fn put(&mut self, code: Code, to: u32) -> bool {
        if self.places.is_empty() {
            self.least = code;
        }
        let before = self.least.saturating_sub(code) as usize;
        let behind = code.saturating_sub(self.least) as usize + 1;
        let len = (before + self.places.len()).max(behind);
        if len as u64 > PLACES + PLACES_A_VALUE * self.values {
            return false;
        }
        if before > 0 {
            // With room for some more that are smaller yet.
            let room = before.max(self.places.len() / 2).min(self.least as usize);
            self.places.splice(0..0, std::iter::repeat_n(EMPTY, room));
            self.least -= room as u32;
        }
        let place = (code - self.least) as usize;
        if place >= self.places.len() {
            self.places.resize(place + 1, EMPTY);
        }
        self.places[place] = to;
        self.values += 1;
        true
    }

    fn clear(&mut self) {
        self.places.clear();
        self.values = 0;
    }
}

/// See the module's text.
#[derive(Clone, Debug, Default)]
pub(super) struct StepMap {
    rows: Vec<Row>,
    /// So many of them are in use, the others are kept for their memory.
    used: usize,
    tables: Vec<Table>,
    far: FxHashMap<(u32, Code), u32>,
}

impl StepMap {
    /// The number after another one, by a value; a new step leads to `next`.
    #[inline]
    pub fn number(&mut self, from: u32, code: Code, next: u32) -> u32 {
        match self.near(from, code) {
            Some(to) => to,
            None => self.add(from, code, next),
        }
    }

    /// The number that a step leads to, if it is one.
    pub fn find(&self, from: u32, code: Code) -> Option<u32> {
        let far = || self.far.get(&(from, code)).copied();
        self.near(from, code).or_else(far)
    }

    /// The same, but for what lies far from all others.
    #[inline]
    fn near(&self, from: u32, code: Code) -> Option<u32> {
        let row = self.rows.get(from as usize)?;
        if row.code == code && row.to != EMPTY {
            return Some(row.to);
        }
        self.tables.get(row.table as usize)?.get(code)
    }

    fn add(&mut self, from: u32, code: Code, next: u32) -> u32 {
        if let Some(to) = self.far.get(&(from, code)) {
            return *to;
        }
        let at = from as usize;
        if at >= self.rows.len() {
            self.rows.resize(at + 1, NO_STEPS);
        }
        let row = &mut self.rows[at];
        if row.to == EMPTY {
            (row.code, row.to) = (code, next);
            return next;
        }
        if row.table == EMPTY {
            row.table = self.used as u32;
            self.used += 1;
            if self.tables.len() < self.used {
                self.tables.push(Table::default());
            }
        }
        if !self.tables[row.table as usize].put(code, next) {
            self.far.insert((from, code), next);
        }
        next
    }

    /// Forgets all of them, and keeps the memory.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.far.clear();
        self.tables[..self.used].iter_mut().for_each(Table::clear);
        self.used = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Steps by values near each other and far from each other lead where they led first.
        #[test]
        fn steps_are_a_map(
            pairs in prop::collection::vec(
                (0u32..5, prop_oneof![0u32..9, any::<u32>(), 500u32..900, (u32::MAX - 300..=u32::MAX)]), 0..200),
            again in any::<bool>(),
        ) {
            let mut steps = StepMap::default();
            if again {
                for code in 0..20 {
                    steps.number(1, code, code);
                }
                steps.clear();
            }
            let mut oracle: BTreeMap<(u32, u32), u32> = BTreeMap::new();
            for (from, code) in &pairs {
                prop_assert_eq!(steps.find(*from, *code), oracle.get(&(*from, *code)).copied());
                let next = oracle.len() as u32;
                let known = *oracle.entry((*from, *code)).or_insert(next);
                prop_assert_eq!(steps.number(*from, *code, next), known);
            }
            for ((from, code), number) in &oracle {
                prop_assert_eq!(steps.find(*from, *code), Some(*number));
            }
        }
    }

    #[test]
    fn values_that_are_counted_down_lie_in_a_table() {
        let mut steps = StepMap::default();
        for code in (1_000..2_000).rev() {
            steps.number(0, code, code);
        }
        assert!(steps.far.is_empty());
        assert!(steps.tables[0].places.len() < 2_000);
    }
}
