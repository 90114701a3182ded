//! Data that the entities of a run share per segment: the columns of all their keys, and the order of its rows in time.

use widetui_core::ids::KeyId;
use widetui_query::bits::Bits;
use widetui_store::Snapshot;
use widetui_store::key_column::{KeyColumn, SegmentView};
use widetui_time::time::NO_TIME;

/// Positions of all events in time order.
#[derive(Debug)]
pub(super) struct EventPositions {
    /// Position in time order of each event.
    pub(crate) by_event: Vec<u32>,
    /// True for segments in which some events have no time.
    pub(crate) has_untimed: Vec<bool>,
}

impl EventPositions {
    /// Positions of all events of a run.
    pub(crate) fn new(snapshot: &Snapshot) -> EventPositions {
        let mut by_event = vec![u32::MAX; snapshot.len()];
        for (event, position) in snapshot.order.iter().zip(0..) {
            if let Some(slot) = by_event.get_mut(*event as usize) {
                *slot = position;
            }
        }
        let has_gaps = snapshot.segments.iter().map(|s| s.times.has_gaps());
        EventPositions {
            by_event,
            has_untimed: has_gaps.collect(),
        }
    }
}

/// Number of a key among the keys of a scan.
pub(super) type KeyNumber = usize;

/// Columns and time order of a segment, shared by the scans of all entities.
pub(super) struct SegmentColumns<'a> {
    /// Segment that is scanned.
    pub(crate) view: &'a SegmentView<'a>,
    /// Keys of the scan by number.
    pub(crate) keys: &'a [KeyId],
    /// Event of row 0.
    pub(crate) base: u32,
    /// Key columns by group and key number.
    pub(crate) key_columns: Vec<Vec<KeyColumn>>,
    /// Ends of the lists of the rows, by group.
    pub(crate) ends: Vec<Option<&'a [u32]>>,
    /// Rows with duplicate records, if any.
    pub(crate) duplicates: Option<Bits>,
    /// Position of each row among all events in time order.
    pub(crate) positions: &'a [u32],
    has_untimed: bool,
}

impl<'a> SegmentColumns<'a> {
    /// Reads the columns of some keys of a segment.
    pub(crate) fn new(
        view: &'a SegmentView<'a>,
        keys: &'a [KeyId],
        places: &'a EventPositions,
    ) -> SegmentColumns<'a> {
        let snapshot = view.snapshot;
        let base = snapshot.bases[view.index];
        let groups = 0..view.segment.groups.len();
        let key_columns = groups.clone().map(|at| {
            let group = view.group(at);
            keys.iter().map(|key| group.key_column(*key)).collect()
        });
        let mut duplicates: Option<Bits> = None;
        let len = view.segment.len();
        for copy in snapshot.duplicates.among(base, base + len as u32) {
            let bits = duplicates.get_or_insert_with(|| Bits::none(len));
            bits.set((copy - base) as usize);
        }
        SegmentColumns {
            base,
            keys,
            key_columns: key_columns.collect(),
            ends: groups.map(|at| view.group(at).ends).collect(),
            duplicates,
            positions: &places.by_event[base as usize..][..len],
            has_untimed: places.has_untimed[view.index],
            view,
        }
    }

    /// Whether a row is a duplicate of another record.
    #[inline]
    pub(crate) fn is_duplicate(&self, row: usize) -> bool {
        self.duplicates.as_ref().is_some_and(|c| c.get(row))
    }

    /// Whether a row has a time.
    #[inline]
    pub(crate) fn is_timed(&self, row: usize) -> bool {
        !self.has_untimed || self.view.segment.times.get(row) != NO_TIME
    }
}
