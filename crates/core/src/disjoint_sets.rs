//! Disjoint sets of numbers (union-find).

use std::collections::BTreeMap;

/// Disjoint sets of the numbers below a count.
#[derive(Clone, Debug)]
pub struct DisjointSets {
    /// Smaller member of the same set by number; the number itself for the smallest.
    smaller: Vec<usize>,
}

impl DisjointSets {
    /// Sets of one number each.
    pub fn new(count: usize) -> DisjointSets {
        DisjointSets {
            smaller: (0..count).collect(),
        }
    }

    /// Smallest member of the set of a number.
    pub fn smallest(&self, mut at: usize) -> usize {
        while let Some(smaller) = self.smaller.get(at).filter(|smaller| **smaller != at) {
            at = *smaller;
        }
        at
    }

    /// Unites the sets of two numbers.
    pub fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.smallest(a), self.smallest(b));
        if let Some(smaller) = self.smaller.get_mut(a.max(b)) {
            *smaller = a.min(b);
        }
    }

    /// Sets ordered by their smallest members, members ascending.
    pub fn sets(&self) -> impl Iterator<Item = Vec<usize>> {
        let mut sets: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for at in 0..self.smaller.len() {
            sets.entry(self.smallest(at)).or_default().push(at);
        }
        sets.into_values()
    }
}
