//! Duplicate records: records with equal bytes in several sources (two Parsl DFKs in one process write each other's
//! lines).

use rustc_hash::FxHashSet;

/// Duplicate events and the events that they repeat. Empty until the whole run is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Duplicates {
    /// (duplicate, repeated event), ascending by duplicate. A repeated event is never itself a duplicate.
    pairs: Vec<(u32, u32)>,
    /// The same pairs as (repeated event, duplicate), ascending.
    repeated: Vec<(u32, u32)>,
}

impl Duplicates {
    /// Builds the table from (duplicate, repeated event) pairs.
    pub fn new(mut pairs: Vec<(u32, u32)>) -> Duplicates {
        pairs.sort_unstable();
        let mut repeated: Vec<(u32, u32)> = pairs.iter().map(|(copy, of)| (*of, *copy)).collect();
        repeated.sort_unstable();
        Duplicates { pairs, repeated }
    }

    /// Duplicates of the event `id`; empty if `id` has none or is itself a duplicate.
    pub fn duplicates_of(&self, id: u32) -> impl Iterator<Item = u32> + '_ {
        let from = self.repeated.partition_point(|(of, _)| *of < id);
        let same = self.repeated[from..].iter();
        same.take_while(move |(of, _)| *of == id).map(|(_, c)| *c)
    }

    /// Group of the event `id`: the repeated event first, then its duplicates.
    pub fn group(&self, id: u32) -> impl Iterator<Item = u32> + '_ {
        let original = self.original_of(id).unwrap_or(id);
        std::iter::once(original).chain(self.duplicates_of(original))
    }

    /// Returns one representative of each group among some events: the repeated event if it is among them, else its
    /// first duplicate. `ids` are in time order; `has` tests whether an event is among them.
    pub fn representatives(
        &self,
        ids: impl IntoIterator<Item = u32>,
        has: impl Fn(u32) -> bool,
    ) -> Vec<u32> {
        if self.is_empty() {
            return ids.into_iter().collect();
        }
        let mut shown_for = FxHashSet::default();
        let is_shown = |id: &u32| match self.original_of(*id) {
            None => true,
            Some(original) => !has(original) && shown_for.insert(original),
        };
        ids.into_iter().filter(is_shown).collect()
    }

    /// Event that `id` repeats, if `id` is a duplicate.
    pub fn original_of(&self, id: u32) -> Option<u32> {
        let at = self.pairs.binary_search_by_key(&id, |p| p.0).ok()?;
        Some(self.pairs[at].1)
    }

    /// Duplicates among the events `from..to`.
    pub fn among(&self, from: u32, to: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.pairs.partition_point(|p| p.0 < from);
        let all = self.pairs[first..].iter().map(|p| p.0);
        all.take_while(move |copy| *copy < to)
    }

    /// Number of duplicates.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there are no duplicates.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// All (duplicate, repeated event) pairs.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.pairs.iter().copied()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Law: exactly one event is shown of each group with a member among the events, in the order of the events.
        #[test]
        fn one_event_of_each_group_is_shown(
            groups in prop::collection::vec(0u32..12, 0..40), chosen in prop::collection::vec(any::<bool>(), 40),
        ) {
            let first = |group: u32| groups.iter().position(|g| *g == group).unwrap() as u32;
            let pairs = (0u32..).zip(&groups).filter(|(id, g)| first(**g) != *id).map(|(id, g)| (id, first(*g)));
            let copies = Duplicates::new(pairs.collect());
            let ids: Vec<u32> = (0..groups.len() as u32).filter(|id| chosen[*id as usize]).collect();
            let shown = copies.representatives(ids.iter().copied(), |id| ids.contains(&id));
            let mut wanted: Vec<u32> = Vec::new();
            for id in &ids {
                if !wanted.iter().any(|w| groups[*w as usize] == groups[*id as usize]) {
                    wanted.push(*id);
                }
            }
            prop_assert_eq!(shown, wanted);
            for id in 0..groups.len() as u32 {
                let group: Vec<u32> = copies.group(id).collect();
                let same: Vec<u32> = (0..groups.len() as u32)
                    .filter(|other| groups[*other as usize] == groups[id as usize])
                    .collect();
                prop_assert_eq!(group, same);
            }
        }
    }
}
