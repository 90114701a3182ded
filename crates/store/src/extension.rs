//! Extension of a snapshot by new records, at a cost proportional to the new records: segments, chunks of the time
//! order and tables are shared with the previous snapshot.
//!
//! New rows are sorted and merged into the time order from the first changed position on. Small segments are joined
//! into larger ones as they arrive, so that following a run for an hour does not leave thousands of them. Event ids
//! never change.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use widetui_core::cancel::Cancel;
use widetui_core::ids::SourceId;
use widetui_format::catalog::CatalogView;

use super::excerpt::{PlacedSegment, join, without};
use super::id_limit::{self, NO_EVENT};
use super::order_keys::{OrderKey, OrderKeys};
use super::placement::{PlacedParts, Placement};
use super::segment::{Part, Segment};
use super::snapshot::Snapshot;
use super::source::Source;

/// Finality of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordState {
    /// Final records.
    Settled,
    /// Last lines without a line end: the next snapshot replaces them.
    Unfinished,
}

/// New records and sources for [`Snapshot::grow`].
#[derive(Clone, Debug)]
pub struct NewRecords {
    /// All sources: the previous ones, some of them updated, then the new ones.
    pub sources: Arc<[Arc<Source>]>,
    /// New records. The records of one source are in the order of the source and follow its previous records.
    pub segments: Vec<Arc<Segment>>,
    /// Tables with the entries of the new records.
    pub catalog: CatalogView,
    /// Finality of the new records.
    pub state: RecordState,
}

impl Snapshot {
    /// Returns a snapshot with more records. Records without a free event id are omitted, and their sources get a
    /// problem. `None` if a record has an unknown source.
    pub fn grow(&self, mut more: NewRecords) -> Option<Snapshot> {
        let before = self.len();
        let room =
            id_limit::within_id_limit(u32::try_from(before).ok()?, more.segments, more.sources);
        (more.segments, more.sources) = room;
        let mut bases = self.bases.to_vec();
        let mut next = u32::try_from(before).ok()?;
        for segment in &more.segments {
            bases.push(next);
            next = next.checked_add(u32::try_from(segment.len()).ok()?)?;
        }
        let mut placing = Placement::new(self, &more.sources);
        for (segment, base) in more.segments.iter().zip(&bases[self.bases.len()..]) {
            placing.place(segment, *base)?;
        }
        placing.lengthen();
        let Placement {
            placed,
            last,
            mut entries,
            old_ends,
            ..
        } = placing;
        let moved = self.moved(&more.sources, &mut entries);
        let order = self.merged(entries, &moved);
        let mut part_ends = self.part_ends.to_vec();
        for (segment, ends) in old_ends {
            part_ends[segment] = ends.into();
        }
        let mut all = Tail {
            segments: self.segments.to_vec(),
            bases,
            part_ends,
            part_carries: self.part_carries.to_vec(),
        };
        let mut last_events = self.last_events.to_vec();
        last_events.resize(more.sources.len(), NO_EVENT);
        all.push(placed.into_iter().map(PlacedParts::seal), more.state);
        if more.state == RecordState::Settled {
            for (source, known) in last {
                last_events[source as usize] = known.event;
            }
        }
        Some(Snapshot {
            sources: more.sources,
            segments: all.segments.into(),
            bases: all.bases.into(),
            order,
            ties: Arc::default(),
            part_ends: all.part_ends.into(),
            part_carries: all.part_carries.into(),
            last_events: last_events.into(),
            // Segments may have been joined, so old overlays no longer fit; the caller applies joins again.
            derived: Arc::default(),
            catalog: more.catalog,
            settled: match more.state {
                RecordState::Settled => next,
                RecordState::Unfinished => self.settled,
            },
            ..self.clone()
        })
    }

    /// Returns a snapshot without the records of some sources, in a new order and with new event ids. `None` if
    /// cancelled.
    pub fn without(&self, drop: &FxHashSet<SourceId>, cancel: &Cancel) -> Option<Snapshot> {
        let gone = |p: &Part| drop.contains(&p.source);
        let keep = |segment: &Arc<Segment>| {
            if segment.parts.iter().any(gone) {
                without(segment, gone).map(Arc::new)
            } else {
                Some(segment.clone())
            }
        };
        let segments = self.segments.iter().filter_map(keep).collect();
        let sources = self.sources.clone();
        Snapshot::assembled(
            sources,
            segments,
            self.tables.clone(),
            self.complete,
            cancel,
        )
    }

    /// Finds earlier records of sources that had no time until now: from now on they are ordered by the first time of
    /// their source.
    fn moved(&self, sources: &[Arc<Source>], entries: &mut Vec<(OrderKey, u32)>) -> FxHashSet<u32> {
        let mut moved = FxHashSet::default();
        let pairs = sources.iter().zip(self.sources.iter());
        let began = |(new, old): &(&Arc<Source>, &Arc<Source>)| {
            !Arc::ptr_eq(new, old)
                && old.stats.first.is_none()
                && new.stats.first.is_some()
                && self.last_events[old.id.index()] != NO_EVENT
        };
        let firsts: FxHashMap<u32, i64> = pairs
            .filter(began)
            .filter_map(|(new, _)| Some((new.id.0, new.first()?)))
            .collect();
        if firsts.is_empty() {
            return moved;
        }
        for (segment, base) in self.segments.iter().zip(self.bases.iter()) {
            for part in &segment.parts {
                let Some(first) = firsts.get(&part.source.0) else {
                    continue;
                };
                for row in part.first_row..part.first_row + part.rows {
                    let offset = part.base + u64::from(segment.offsets[row as usize]);
                    entries.push(((*first, part.source.0, offset), base + row));
                    moved.insert(base + row);
                }
            }
        }
        moved
    }

    /// Returns the time order with these entries inserted and these events removed from their previous positions.
    fn merged(&self, mut entries: Vec<(OrderKey, u32)>, moved: &FxHashSet<u32>) -> super::IdList {
        entries.sort_unstable();
        let Some((first, _)) = entries.first() else {
            return self.order.clone();
        };
        let keys = OrderKeys::new(self);
        let start = self.order.partition_point(|id| keys.of(*id) < *first);
        let mut tail: Vec<u32> = Vec::with_capacity(entries.len());
        let mut at = start;
        let stays = |id: &&u32| moved.is_empty() || !moved.contains(*id);
        for (key, id) in entries {
            // Galloping search for the number of old entries before this one: doubling steps, then binary search.
            let mut step = 1;
            while at + step < self.order.len()
                && self.order.get(at + step).is_some_and(|o| keys.of(*o) < key)
            {
                step *= 2;
            }
            let (mut from, mut to) = (at, (at + step).min(self.order.len()));
            while from < to {
                let middle = from + (to - from) / 2;
                match self.order.get(middle) {
                    Some(old) if keys.of(*old) < key => from = middle + 1,
                    _ => to = middle,
                }
            }
            tail.extend(self.order.range(at..from).filter(stays));
            at = from;
            tail.push(id);
        }
        tail.extend(self.order.range(at..self.order.len()).filter(stays));
        self.order.with_tail(start, tail)
    }
}

/// Segments of the new snapshot under construction.
struct Tail {
    segments: Vec<Arc<Segment>>,
    bases: Vec<u32>,
    part_ends: Vec<Arc<[u64]>>,
    part_carries: Vec<Arc<[i64]>>,
}

impl Tail {
    /// Adds segments, whose bases are set, and joins small ones.
    fn push(&mut self, placed: impl Iterator<Item = PlacedSegment>, state: RecordState) {
        let bases = self.bases.split_off(self.segments.len());
        for (mut new, mut base) in placed.zip(bases) {
            // Segments of similar size are joined, so that each row is moved only a logarithmic number of times.
            while state == RecordState::Settled
                && let Some(before) = self.segments.last()
                && before.len() <= 2 * new.segment.len()
                && let (Some(ends), Some(carries)) =
                    (self.part_ends.last(), self.part_carries.last())
                && let Some(joined) = join(
                    &PlacedSegment {
                        segment: before.clone(),
                        ends: ends.clone(),
                        carries: carries.clone(),
                    },
                    &new,
                )
            {
                new = joined;
                base = self.bases.pop().unwrap_or(base);
                self.segments.pop();
                self.part_ends.pop();
                self.part_carries.pop();
            }
            self.segments.push(new.segment);
            self.bases.push(base);
            self.part_ends.push(new.ends);
            self.part_carries.push(new.carries);
        }
    }
}
