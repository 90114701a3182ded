//! Set of records: the result of a query.

use std::sync::Arc;

use rayon::prelude::*;

use widetui_core::ids::EventId;
use widetui_store::segment::Segment;
use widetui_store::{IdList, Snapshot};

use crate::bits::Bits;

/// A set of records of one snapshot: one bit per row of each segment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    segments: Vec<Bits>,
    bases: Vec<u32>,
    len: usize,
}

impl Selection {
    /// Builds a selection from the rows of each segment, in the order of the snapshot's segments.
    #[must_use]
    pub fn new(segments: Vec<Bits>) -> Selection {
        let mut bases = Vec::with_capacity(segments.len());
        let mut base = 0;
        for bits in &segments {
            bases.push(base);
            base += bits.len() as u32;
        }
        let len = segments.iter().map(Bits::count).sum();
        Selection {
            segments,
            bases,
            len,
        }
    }

    /// Selects all records of a snapshot.
    #[must_use]
    pub fn all(snapshot: &Snapshot) -> Selection {
        Selection::new(
            snapshot
                .segments
                .iter()
                .map(|s| Bits::all(s.len()))
                .collect(),
        )
    }

    /// Selects these records of a snapshot.
    #[must_use]
    pub fn from_events(
        snapshot: &Snapshot,
        events: impl IntoIterator<Item = EventId>,
    ) -> Selection {
        let mut flat = Bits::none(snapshot.segments.iter().map(|s| s.len()).sum());
        for event in events {
            flat.set(event.index());
        }
        Selection::from_flat(snapshot, &flat)
    }

    /// Selects the records whose numbers are set in `flat`.
    #[must_use]
    pub(crate) fn from_flat(snapshot: &Snapshot, flat: &Bits) -> Selection {
        let mut base = 0;
        let part = |segment: &Arc<Segment>| {
            let part = flat.part(base, segment.len());
            base += segment.len();
            part
        };
        Selection::new(snapshot.segments.iter().map(part).collect())
    }

    /// Number of records.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the selection is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn place(&self, event: EventId) -> Option<(usize, usize)> {
        let after = self.bases.partition_point(|b| *b <= event.0);
        let segment = after.checked_sub(1)?;
        Some((segment, (event.0 - self.bases[segment]) as usize))
    }

    /// Whether a record is selected.
    #[must_use]
    pub fn contains(&self, event: EventId) -> bool {
        self.place(event)
            .is_some_and(|(segment, row)| self.segments[segment].get(row))
    }

    /// Selected rows of a segment.
    #[must_use]
    pub fn segment(&self, index: usize) -> Option<&Bits> {
        self.segments.get(index)
    }

    /// Numbers of the selected records, ascending.
    pub fn ids(&self) -> impl Iterator<Item = EventId> + '_ {
        self.segments
            .iter()
            .zip(&self.bases)
            .flat_map(|(bits, base)| bits.ones().map(|row| EventId(*base + row as u32)))
    }

    /// Returns one bit set over all records, indexed by record number. Segments do not end at word boundaries, so a
    /// look-up here is cheaper (one shift and one mask) than one by segment.
    #[must_use]
    pub fn flat(&self) -> Bits {
        let total = self.segments.iter().map(Bits::len).sum();
        let mut flat = Bits::none(total);
        for (bits, base) in self.segments.iter().zip(&self.bases) {
            flat.or_at(*base as usize, bits);
        }
        flat
    }

    /// Returns the selected records in time order.
    #[must_use]
    pub fn ordered(&self, snapshot: &Snapshot) -> Vec<u32> {
        self.ordered_list(snapshot).to_vec()
    }

    /// Returns the selected records in time order as an [`IdList`].
    #[must_use]
    pub fn ordered_list(&self, snapshot: &Snapshot) -> IdList {
        if self.len == snapshot.order.len() {
            return snapshot.order.clone();
        }
        if self.len == 0 {
            return IdList::default();
        }
        let flat = self.flat();
        let pieces: Vec<Arc<[u32]>> = snapshot
            .order
            .slices()
            .par_iter()
            .map_init(Vec::new, |room: &mut Vec<u32>, ids| kept(&flat, ids, room))
            .collect();
        IdList::of_pieces(pieces)
    }

    /// Returns the elements of `ids` that are selected, in their order.
    #[must_use]
    pub fn of_list(&self, ids: &IdList) -> IdList {
        let events: usize = self.segments.iter().map(Bits::len).sum();
        if ids.len() < events / 64 {
            let ids = ids.iter().copied();
            return ids.filter(|id| self.contains(EventId(*id))).collect();
        }
        let flat = self.flat();
        let slices = ids.slices().par_iter();
        let pieces: Vec<Arc<[u32]>> = slices
            .map_init(Vec::new, |room: &mut Vec<u32>, ids| kept(&flat, ids, room))
            .collect();
        IdList::of_pieces(pieces)
    }

    fn combine(&mut self, other: &Selection, f: impl Fn(&mut Bits, &Bits)) {
        for (a, b) in self.segments.iter_mut().zip(&other.segments) {
            f(a, b);
        }
        self.len = self.segments.iter().map(Bits::count).sum();
    }

    /// Intersects with another selection of the same snapshot.
    pub fn and(&mut self, other: &Selection) {
        self.combine(other, Bits::and);
    }

    /// Unites with another selection of the same snapshot.
    pub fn or(&mut self, other: &Selection) {
        self.combine(other, Bits::or);
    }

    /// Removes the records of another selection of the same snapshot.
    pub fn and_not(&mut self, other: &Selection) {
        self.combine(other, Bits::and_not);
    }

    /// Complements the selection.
    pub fn invert(&mut self) {
        self.segments.iter_mut().for_each(Bits::invert);
        self.len = self.segments.iter().map(Bits::count).sum();
    }
}

/// Returns the ids that are set. Written without branches, as the bits are unpredictable.
fn kept(set: &Bits, ids: &[u32], room: &mut Vec<u32>) -> Arc<[u32]> {
    room.resize(ids.len(), 0);
    let mut count = 0;
    for id in ids {
        room[count] = *id;
        count += usize::from(set.get(*id as usize));
    }
    Arc::from(&room[..count])
}
