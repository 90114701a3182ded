//! Records that stand in several sources, byte for byte (two kernels in one process write each other's lines).

/// Which events repeat another one. Empty until the whole run was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Copies {
    /// (copy, the event it repeats), ascending by copy. The repeated event is never itself a copy.
    pairs: Vec<(u32, u32)>,
}

impl Copies {
    /// From (copy, repeated event) pairs.
    pub fn new(mut pairs: Vec<(u32, u32)>) -> Copies {
        pairs.sort_unstable();
        Copies { pairs }
    }

    /// The event that `id` repeats, if it is a copy.
    pub fn of(&self, id: u32) -> Option<u32> {
        let at = self.pairs.binary_search_by_key(&id, |p| p.0).ok()?;
        Some(self.pairs[at].1)
    }

    /// Number of copies.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether no record stands twice.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// All (copy, repeated event) pairs.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.pairs.iter().copied()
    }
}
