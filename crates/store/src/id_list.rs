//! Long list of event ids that is cheap to clone and to extend.
//!
//! The ids are stored in chunks, shared by all lists with the same beginning. When a live run grows, the new list
//! shares the chunks before the first change, and only the ids after it are copied.

use std::sync::Arc;

/// Maximum number of ids in a chunk.
pub(crate) const CHUNK: usize = 1 << 16;
/// Mean chunk length below which a list is rechunked, ids.
const SMALL: usize = 1 << 12;

/// Event ids in a fixed order, in shared chunks.
#[derive(Clone, Debug, Default)]
pub struct IdList {
    /// Non-empty chunks.
    chunks: Arc<[Arc<[u32]>]>,
    /// Position of the first id of each chunk.
    starts: Arc<[usize]>,
    len: usize,
}

impl PartialEq for IdList {
    fn eq(&self, other: &IdList) -> bool {
        self.len == other.len && self.same_start(other) == self.len
    }
}

impl Eq for IdList {}

impl IdList {
    fn of_chunks(chunks: Vec<Arc<[u32]>>) -> IdList {
        let mut len = 0;
        let starts = chunks.iter().map(|chunk| {
            len += chunk.len();
            len - chunk.len()
        });
        let starts: Arc<[usize]> = starts.collect();
        IdList {
            chunks: chunks.into(),
            starts,
            len,
        }
    }

    /// Builds a list from pieces, in order; no piece may be longer than a chunk.
    pub fn of_pieces(mut pieces: Vec<Arc<[u32]>>) -> IdList {
        pieces.retain(|piece| !piece.is_empty());
        let len: usize = pieces.iter().map(|piece| piece.len()).sum();
        match len / SMALL < pieces.len() {
            true => pieces.concat().into(),
            // Long pieces become chunks without a copy.
            false => IdList::of_chunks(pieces),
        }
    }

    /// Number of ids.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the chunk that holds a position, and the position within the chunk.
    #[inline]
    fn find(&self, at: usize) -> (usize, usize) {
        let chunk = self.starts.partition_point(|start| *start <= at).max(1) - 1;
        (chunk, at - self.starts.get(chunk).map_or(0, |start| *start))
    }

    /// Id at a position.
    #[inline]
    pub fn get(&self, at: usize) -> Option<&u32> {
        let (chunk, at) = self.find(at);
        self.chunks.get(chunk)?.get(at)
    }

    /// Iterates over all ids.
    pub fn iter(&self) -> impl Iterator<Item = &u32> + Clone {
        self.chunks.iter().flat_map(|c| c.iter())
    }

    /// Iterates over the ids at these positions.
    pub fn range(&self, range: std::ops::Range<usize>) -> impl Iterator<Item = &u32> + Clone {
        let (chunk, at) = self.find(range.start);
        let chunks = self.chunks.get(chunk..).unwrap_or_default();
        let ids = chunks.iter().flat_map(|c| c.iter());
        ids.skip(at).take(range.end.saturating_sub(range.start))
    }

    /// Chunks of ids, in order.
    pub fn slices(&self) -> &[Arc<[u32]>] {
        &self.chunks
    }

    /// Position of an id; a vectorised linear search.
    pub fn position(&self, id: u32) -> Option<usize> {
        let mut chunks = self.chunks.iter().zip(self.starts.iter());
        let (chunk, start) = chunks.find(|(chunk, _)| chunk.contains(&id))?;
        let at = chunk.iter().position(|i| *i == id)?;
        Some(start + at)
    }

    /// Copies the ids to a vector.
    pub fn to_vec(&self) -> Vec<u32> {
        self.chunks.concat()
    }

    /// First position whose id does not satisfy the predicate; all ids before it must satisfy it.
    pub fn partition_point(&self, mut fits: impl FnMut(&u32) -> bool) -> usize {
        let whole = self
            .chunks
            .partition_point(|c| c.last().is_some_and(&mut fits));
        match self.chunks.get(whole) {
            Some(chunk) => self.starts[whole] + chunk.partition_point(fits),
            None => self.len,
        }
    }

    /// Returns a list of the first `keep` ids followed by the ids of `tail`.
    pub fn with_tail(&self, keep: usize, tail: impl IntoIterator<Item = u32>) -> IdList {
        let (whole, begun) = self.find(keep.min(self.len));
        let begun = self.chunks.get(whole).map_or(&[][..], |c| &c[..begun]);
        let mut chunks: Vec<Arc<[u32]>> = self.chunks[..whole].to_vec();
        let mut rest = begun.iter().copied().chain(tail).peekable();
        while rest.peek().is_some() {
            chunks.push(rest.by_ref().take(CHUNK).collect());
        }
        IdList::of_chunks(chunks)
    }

    /// Length of the common prefix of two lists.
    pub(crate) fn same_start(&self, other: &IdList) -> usize {
        let mut same = 0;
        for (a, b) in self.chunks.iter().zip(other.chunks.iter()) {
            if !Arc::ptr_eq(a, b) {
                break;
            }
            same += a.len();
        }
        let (own, theirs) = (self.range(same..self.len), other.range(same..other.len));
        same + own.zip(theirs).take_while(|(a, b)| a == b).count()
    }

    /// Length of the common suffix of two lists, at most `most`.
    pub(crate) fn same_end(&self, other: &IdList, most: usize) -> usize {
        let back = |list: &IdList, i: usize| list.get(list.len.checked_sub(i + 1)?).copied();
        (0..most.min(self.len).min(other.len))
            .take_while(|i| back(self, *i) == back(other, *i))
            .count()
    }
}

impl FromIterator<u32> for IdList {
    fn from_iter<I: IntoIterator<Item = u32>>(ids: I) -> IdList {
        IdList::default().with_tail(0, ids)
    }
}

impl From<Vec<u32>> for IdList {
    fn from(ids: Vec<u32>) -> IdList {
        IdList::of_chunks(ids.chunks(CHUNK).map(Arc::from).collect())
    }
}

impl<const N: usize> From<[u32; N]> for IdList {
    fn from(ids: [u32; N]) -> IdList {
        ids.into_iter().collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn a_list_is_the_vector_of_its_ids(
            n in prop_oneof![0usize..10, 65_530usize..65_545, 131_070usize..140_000],
            keep in prop_oneof![0usize..12, 65_530usize..65_540, 100_000usize..150_000],
            tail in prop_oneof![0u32..10, 65_530u32..65_540], at in 0usize..150_000,
        ) {
            let ids: Vec<u32> = (0..n as u32).collect();
            let list = IdList::from(ids.clone());
            prop_assert_eq!(&list, &ids.iter().copied().collect::<IdList>());
            // Pieces of other lengths, one of them empty.
            let mut lists = vec![list.clone()];
            for size in [7 + at / 3, 9_000, 65_536] {
                let mut pieces: Vec<Arc<[u32]>> = ids.chunks(size).map(Arc::from).collect();
                pieces.insert(pieces.len() / 2, Arc::default());
                lists.push(IdList::of_pieces(pieces));
            }
            for list in lists {
                prop_assert_eq!(&list, &IdList::from(ids.clone()));
                prop_assert_eq!(list.to_vec(), ids.clone());
                prop_assert_eq!(list.get(at), ids.get(at));
                prop_assert_eq!(list.partition_point(|id| (*id as usize) < at), at.min(n));
                let range = (at / 2).min(n)..at.min(n);
                prop_assert!(list.range(range.clone()).eq(&ids[range]));
                let mut longer = ids[..keep.min(n)].to_vec();
                longer.extend(1_000_000..1_000_000 + tail);
                let grown = list.with_tail(keep, 1_000_000..1_000_000 + tail);
                prop_assert_eq!(grown.len(), longer.len());
                prop_assert_eq!(grown.to_vec(), longer.clone());
                prop_assert_eq!(grown.same_start(&list), if tail == 0 { longer.len() } else { keep.min(n) });
                prop_assert_eq!(list.same_end(&list, at), at.min(n));
                prop_assert!(tail == 0 || grown != list);
            }
        }
    }
}
