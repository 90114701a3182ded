//! Difference between two snapshots of a live run.
//!
//! All snapshots of one follower have the same `lineage` (not 0) and extend each other:
//!
//! ```text
//! older   0 ......................... settled ... len      settled..len: last lines without a line end
//! newer   0 .................................................. settled ... len
//!         └── the same records, ids ───┘└── new ──────────────┘└ unfinished ┘
//! ```
//!
//! Ids below `older.settled` name the same records in both snapshots. Only the text of a record can change (a traceback
//! continues), and such records are listed. Results computed for `older` therefore stay valid except for
//! `older.settled..older.len()`; only records of `newer` from `older.settled` on are examined again. If a source turns
//! out to have another format than first detected, a new lineage begins, and no result stays valid.

use std::ops::Range;
use std::sync::Arc;

use widetui_core::ids::{EventId, SourceId};

use super::id_limit::NO_EVENT;
use super::snapshot::Snapshot;

/// Difference between a snapshot and an older one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapshotDiff {
    /// Events that the older snapshot lacks; those from `newer.settled` on are unfinished.
    pub events: Range<u32>,
    /// Ids of unfinished events of the older snapshot, whose results must be dropped.
    pub dropped: Range<u32>,
    /// Events of both snapshots whose text grew, or shrank because an unfinished line after it became a separate
    /// record. Time, level, template and stored keys are unchanged.
    pub lengthened: Vec<u32>,
    /// Changed range of positions in the older time order; both orders agree before and after it.
    pub old_places: Range<usize>,
    /// Changed range of positions in the newer time order.
    pub new_places: Range<usize>,
}

impl Snapshot {
    /// Whether the snapshot belongs to a follower, so that a newer one may extend it.
    pub fn may_grow(&self) -> bool {
        self.lineage != 0
    }

    /// True if another snapshot has the same records with the same derived values and times.
    pub fn is_same(&self, other: &Snapshot) -> bool {
        Arc::ptr_eq(&self.segments, &other.segments)
            && Arc::ptr_eq(&self.derived, &other.derived)
            && Arc::ptr_eq(&self.sources, &other.sources)
    }

    /// Whether this snapshot contains all settled events of another one, with the same ids and templates.
    pub fn extends(&self, older: &Snapshot) -> bool {
        self.may_grow()
            && self.lineage == older.lineage
            && self.settled >= older.settled
            && self.catalog.renamed == older.catalog.renamed
    }

    /// Returns the difference to an older snapshot; `None` if this snapshot does not extend it, so that no result by
    /// event id stays valid.
    ///
    /// The cost is proportional to the difference, plus a few bytes per source.
    pub fn diff_since(&self, older: &Snapshot) -> Option<SnapshotDiff> {
        if !self.extends(older) {
            return None;
        }
        let mut from = self.order.same_start(&older.order);
        let most = self.len().min(older.len()) - from;
        let mut end = self.order.same_end(&older.order, most);
        let lengthened = self.lengthened(older);
        for id in &lengthened {
            let Some(place) = older.place_of(EventId(*id)) else {
                continue;
            };
            from = from.min(place);
            end = end.min(older.len() - place - 1);
        }
        Some(SnapshotDiff {
            events: older.settled..self.len() as u32,
            dropped: older.settled..older.len() as u32,
            lengthened,
            old_places: from..older.len() - end,
            new_places: from..self.len() - end,
        })
    }

    /// Returns the last settled events of sources in an older snapshot whose records have another extent in this one.
    pub fn lengthened(&self, older: &Snapshot) -> Vec<u32> {
        let pairs = self.sources.iter().zip(older.sources.iter());
        let changed = pairs.filter(|(a, b)| !Arc::ptr_eq(a, b));
        let ids = changed.filter_map(|(source, _)| older.last_settled(source.id));
        ids.filter(|id| {
            let span = |s: &Snapshot| s.event(EventId(*id)).map(|e| e.span());
            span(self) != span(older)
        })
        .collect()
    }

    /// Last settled event of a source.
    fn last_settled(&self, source: SourceId) -> Option<u32> {
        let id = *self.last_events.get(source.index())?;
        (id != NO_EVENT).then_some(id)
    }
}
