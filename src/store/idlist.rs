//! A long list of event ids that is cheap to clone and to lengthen.
//!
//! The ids lie in chunks that are shared by all lists that begin alike. When a live run grows, the new list takes over
//! the chunks before the first change, and only what stands behind it is written again.

use std::sync::Arc;

use rayon::prelude::*;

/// Ids in one chunk; all chunks but the last are full.
const CHUNK: usize = 1 << 16;

/// See the module's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdList {
    chunks: Arc<[Arc<[u32]>]>,
    len: usize,
}

impl IdList {
    /// The ids of these pieces, one behind the other.
    pub fn of_pieces(pieces: &[Vec<u32>]) -> IdList {
        let mut starts = Vec::with_capacity(pieces.len());
        let mut len = 0;
        for piece in pieces {
            starts.push(len);
            len += piece.len();
        }
        let chunk = |room: &mut Vec<u32>, number: usize| -> Arc<[u32]> {
            let (from, to) = (number * CHUNK, (number * CHUNK + CHUNK).min(len));
            let first = starts.partition_point(|s| *s <= from).saturating_sub(1);
            room.clear();
            for (piece, start) in pieces[first..].iter().zip(&starts[first..]) {
                if *start >= to {
                    break;
                }
                let end = piece.len().min(to - start);
                room.extend_from_slice(piece.get(from.saturating_sub(*start)..end).unwrap_or(&[]));
            }
            Arc::from(&room[..])
        };
        let chunks = (0..len.div_ceil(CHUNK)).into_par_iter();
        let chunks: Vec<Arc<[u32]>> = chunks.map_init(Vec::new, chunk).collect();
        IdList {
            chunks: chunks.into(),
            len,
        }
    }

    /// Number of ids.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The id at a place.
    #[inline]
    pub fn get(&self, at: usize) -> Option<&u32> {
        self.chunks.get(at / CHUNK)?.get(at % CHUNK)
    }

    /// All ids.
    pub fn iter(&self) -> impl Iterator<Item = &u32> + Clone {
        self.chunks.iter().flat_map(|c| c.iter())
    }

    /// The ids at these places.
    pub fn range(&self, range: std::ops::Range<usize>) -> impl Iterator<Item = &u32> + Clone {
        let first = range.start / CHUNK;
        let chunks = self.chunks.get(first..).unwrap_or_default();
        let ids = chunks.iter().flat_map(|c| c.iter());
        ids.skip(range.start - first * CHUNK)
            .take(range.end.saturating_sub(range.start))
    }

    /// The ids in slices, one behind the other.
    pub fn slices(&self) -> &[Arc<[u32]>] {
        &self.chunks
    }

    /// The ids as one vector.
    pub fn to_vec(&self) -> Vec<u32> {
        self.chunks.concat()
    }

    /// The first place whose id does not fit; the list begins with those that do.
    pub fn partition_point(&self, mut fits: impl FnMut(&u32) -> bool) -> usize {
        let (mut from, mut to) = (0, self.len);
        while from < to {
            let middle = from + (to - from) / 2;
            if self.get(middle).is_some_and(&mut fits) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        from
    }

    /// The first `keep` ids, then these.
    pub fn with_tail(&self, keep: usize, tail: impl IntoIterator<Item = u32>) -> IdList {
        let keep = keep.min(self.len);
        let whole = keep / CHUNK;
        let mut chunks: Vec<Arc<[u32]>> = self.chunks[..whole].to_vec();
        let begun = self.range(whole * CHUNK..keep).copied();
        let mut rest = begun.chain(tail);
        let mut len = whole * CHUNK;
        loop {
            let chunk: Arc<[u32]> = rest.by_ref().take(CHUNK).collect();
            len += chunk.len();
            let is_full = chunk.len() == CHUNK;
            if !chunk.is_empty() {
                chunks.push(chunk);
            }
            if !is_full {
                break;
            }
        }
        IdList {
            chunks: chunks.into(),
            len,
        }
    }

    /// Number of ids with which both begin.
    pub fn same_start(&self, other: &IdList) -> usize {
        let mut same = 0;
        for (a, b) in self.chunks.iter().zip(other.chunks.iter()) {
            if !Arc::ptr_eq(a, b) {
                return same + a.iter().zip(b.iter()).take_while(|(a, b)| a == b).count();
            }
            same += a.len();
        }
        same
    }

    /// Number of ids with which both end, at most `most`.
    pub fn same_end(&self, other: &IdList, most: usize) -> usize {
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
        IdList {
            chunks: ids.chunks(CHUNK).map(Arc::from).collect(),
            len: ids.len(),
        }
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
            // Pieces shorter and longer than a chunk, some of them empty.
            for size in [7 + at / 3, 70_000] {
                let mut pieces: Vec<Vec<u32>> = ids.chunks(size).map(<[u32]>::to_vec).collect();
                pieces.insert(pieces.len() / 2, Vec::new());
                prop_assert_eq!(&list, &IdList::of_pieces(&pieces));
            }
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
        }
    }
}
