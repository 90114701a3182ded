//! Ids as small numbers: a tuple of values is a path in a tree, one value per edge, so that the
//! number of a row's id costs one lookup of two integers per value.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_core::dict::Code;

/// Marks a missing number or instance.
pub(super) const NO_INSTANCE: u32 = u32::MAX;

/// Edges of the id tree, each with its own number.
#[derive(Clone, Debug, Default)]
struct Edges {
    map: FxHashMap<(u32, Code), u32>,
    list: Vec<(u32, Code)>,
    /// Last edge and its number: the ids of nearby records often begin the same.
    last: Option<((u32, Code), u32)>,
}

impl Edges {
    /// Number of an edge, inserted if missing.
    #[inline]
    fn get_or_insert(&mut self, from: u32, code: Code) -> u32 {
        let edge = (from, code);
        if let Some((_, number)) = self.last.filter(|(last, _)| *last == edge) {
            return number;
        }
        let next = self.list.len() as u32;
        let number = *self.map.entry(edge).or_insert(next);
        if number == next {
            self.list.push(edge);
        }
        self.last = Some((edge, number));
        number
    }

    fn find(&self, from: u32, code: Code) -> Option<u32> {
        self.map.get(&(from, code)).copied()
    }
}

/// Ids that occur. An inner number stands for an alternative or the beginning of an id; a whole id
/// has a number among the whole ids.
#[derive(Clone, Debug, Default)]
pub(super) struct Ids {
    alternatives: u32,
    inner_number: Edges,
    whole_number: Edges,
}

impl Ids {
    /// Creates an empty set for ids with this number of alternatives.
    pub(crate) fn new(alternatives: usize) -> Ids {
        Ids {
            alternatives: alternatives as u32,
            ..Ids::default()
        }
    }

    /// Releases the lookup structures; afterwards the set can only be merged into another one.
    pub(crate) fn close(&mut self) {
        for edges in [&mut self.inner_number, &mut self.whole_number] {
            edges.map = FxHashMap::default();
            edges.list.shrink_to_fit();
        }
    }

    /// Number of whole ids.
    pub(crate) fn len(&self) -> usize {
        self.whole_number.list.len()
    }

    /// Inner number reached from another one by a value.
    #[inline]
    pub(crate) fn inner_number(&mut self, from: u32, code: Code) -> u32 {
        self.alternatives + self.inner_number.get_or_insert(from, code)
    }

    /// Number of a whole id, given the inner number of its beginning and its last value.
    #[inline]
    pub(crate) fn whole_number(&mut self, from: u32, code: Code) -> u32 {
        self.whole_number.get_or_insert(from, code)
    }

    /// Start number and value of the edge that leads to an inner number; `None` for alternatives.
    fn parent(&self, inner: u32) -> Option<(u32, Code)> {
        let at = inner.checked_sub(self.alternatives)?;
        self.inner_number.list.get(at as usize).copied()
    }

    /// Alternative and values of a whole id.
    pub(crate) fn id(&self, whole: u32) -> (u8, Box<[Code]>) {
        let Some((mut from, last)) = self.whole_number.list.get(whole as usize).copied() else {
            return (0, Box::default());
        };
        let mut codes = vec![last];
        while let Some((parent, code)) = self.parent(from) {
            codes.push(code);
            from = parent;
        }
        codes.reverse();
        (from as u8, codes.into())
    }

    /// Alternative of each whole id.
    pub(crate) fn alternatives(&self) -> Vec<u8> {
        let mut inner: Vec<u8> = Vec::with_capacity(self.inner_number.list.len());
        let of = |inner: &[u8], from: u32| match from.checked_sub(self.alternatives) {
            None => from as u8,
            Some(at) => inner.get(at as usize).copied().unwrap_or_default(),
        };
        for (from, _) in &self.inner_number.list {
            inner.push(of(&inner, *from));
        }
        let whole = self.whole_number.list.iter();
        whole.map(|(from, _)| of(&inner, *from)).collect()
    }

    /// Merges the wanted whole ids of another set; returns the number here of each id there,
    /// `NO_INSTANCE` for unwanted ones.
    pub(crate) fn merge(&mut self, other: &Ids, is_wanted: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut inner: Vec<u32> = (0..other.alternatives).collect();
        for (from, code) in &other.inner_number.list {
            let number = self.inner_number(inner[*from as usize], *code);
            inner.push(number);
        }
        let whole = other.whole_number.list.iter().zip(0..);
        whole
            .map(|((from, code), at)| match is_wanted(at) {
                true => self.whole_number(inner[*from as usize], *code),
                false => NO_INSTANCE,
            })
            .collect()
    }

    /// Number of a whole id, if it occurs.
    pub(crate) fn find(&self, alternative: u8, id: &[Code]) -> Option<u32> {
        let (last, inner) = id.split_last()?;
        let mut from = u32::from(alternative);
        for code in inner {
            from = self.alternatives + self.inner_number.find(from, *code)?;
        }
        self.whole_number.find(from, *last)
    }
}

/// Index of instances by id.
#[derive(Clone, Debug, Default)]
pub struct IdIndex {
    ids: Arc<Ids>,
    /// Index into `Instances::list` by id number.
    list_indices: Arc<[u32]>,
}

impl IdIndex {
    /// Index from the ids and the position of each id's instance in `Instances::list`.
    pub(super) fn new(ids: Ids, places: Vec<u32>) -> IdIndex {
        IdIndex {
            ids: Arc::new(ids),
            list_indices: places.into(),
        }
    }

    /// Instance with this id number, as an index into `Instances::list`.
    #[inline]
    pub(super) fn list_index(&self, number: u32) -> Option<usize> {
        let place = self.list_indices.get(number as usize)?;
        (*place != NO_INSTANCE).then_some(*place as usize)
    }

    /// Instance with this id, as an index into `Instances::list`.
    pub fn get(&self, alternative: u8, id: &[Code]) -> Option<usize> {
        self.list_index(self.ids.find(alternative, id)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn number(ids: &mut Ids, alternative: u8, id: &[Code]) -> u32 {
        let (last, inner) = id.split_last().unwrap();
        let from = inner.iter().fold(u32::from(alternative), |from, code| {
            ids.inner_number(from, *code)
        });
        ids.whole_number(from, *last)
    }

    proptest! {
        /// The tree is a map from tuples to numbers, and two trees merge as two sets of tuples do.
        #[test]
        fn a_tree_is_a_map(adds in prop::collection::vec((0u8..2, prop::collection::vec(0u32..4, 6), any::<bool>()), 0..60)) {
            // Ids of the first alternative have six values, those of the second two.
            let adds: Vec<(u8, Vec<Code>, bool)> = adds.into_iter().map(|(a, id, x)| (a, id[4 * usize::from(a)..].to_vec(), x)).collect();
            let (mut all, mut other) = (Ids::new(2), Ids::new(2));
            let mut oracle: BTreeMap<(u8, Vec<Code>), u32> = BTreeMap::new();
            for (alternative, id, here) in &adds {
                if *here {
                    let next = oracle.len() as u32;
                    let known = *oracle.entry((*alternative, id.clone())).or_insert(next);
                    prop_assert_eq!(number(&mut all, *alternative, id), known);
                } else {
                    number(&mut other, *alternative, id);
                }
            }
            let mut closed = other.clone();
            closed.close();
            let places = all.merge(&closed, |_| true);
            for (alternative, id, _) in &adds {
                let found = all.find(*alternative, id);
                prop_assert!(found.is_some());
                let (a, codes) = all.id(found.unwrap());
                prop_assert_eq!((a, &codes[..]), (*alternative, &id[..]));
                prop_assert_eq!(all.alternatives()[found.unwrap() as usize], *alternative);
                if let Some(there) = other.find(*alternative, id) {
                    prop_assert_eq!(Some(places[there as usize]), found);
                }
            }
            prop_assert_eq!(all.find(0, &[9; 6]), None);
        }
    }
}
