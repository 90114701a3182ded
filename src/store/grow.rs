//! A snapshot with more records, at a cost that goes with what is new: segments, chunks of the order and tables are
//! shared with the one before.
//!
//! New rows are sorted among themselves and merged into the end of the order, from the first place that changes on.
//! Many small segments are joined to larger ones as they come in, so that an hour of following does not leave
//! thousands of them. Rows keep their ids in all of this.

use std::cell::RefCell;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::cancel::Cancel;
use crate::base::ids::{EventId, SourceId};
use crate::base::time::NO_TIME;
use crate::format::catalog::CatalogView;

use super::excerpt::{PlacedSegment, join, without};
use super::room;
use super::segment::{Part, Segment};
use super::snapshot::{NO_EVENT, Snapshot};
use super::source::Source;

/// Whether records may still change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordState {
    /// They stay what they are.
    Settled,
    /// They are last lines without an end: the next snapshot is made without them.
    Unfinished,
}

/// What is added to a snapshot.
#[derive(Clone, Debug)]
pub struct More {
    /// All sources: those of before, some of them perhaps changed, then new ones.
    pub sources: Arc<[Arc<Source>]>,
    /// New records. Those of one source stand in the order of the source, and behind all that it had before.
    pub segments: Vec<Arc<Segment>>,
    /// The tables with what the new records brought.
    pub catalog: CatalogView,
    /// Whether the records may still change.
    pub state: RecordState,
}

/// Where a record stands in time order: its time, its source, its first byte.
pub type OrderKey = (i64, u32, u64);

/// Gives the order keys of events; what has to be worked out for a whole part is kept.
#[derive(Debug)]
pub struct OrderKeys<'a> {
    snapshot: &'a Snapshot,
    parts: RefCell<FxHashMap<(usize, usize), Vec<i64>>>,
}

impl<'a> OrderKeys<'a> {
    /// For the events of a snapshot.
    pub fn new(snapshot: &'a Snapshot) -> OrderKeys<'a> {
        OrderKeys {
            snapshot,
            parts: RefCell::default(),
        }
    }

    /// The key of an event; behind all others for an event that there is not.
    pub fn of(&self, id: u32) -> OrderKey {
        let Some(event) = self.snapshot.event(EventId(id)) else {
            return (i64::MAX, u32::MAX, u64::MAX);
        };
        let index = event.segment.part_index(event.row);
        let part = &event.segment.parts[index];
        let source = event.source();
        let own = event.segment.utc(source, event.row);
        let time = if own != NO_TIME && !source.coarse {
            own
        } else if source.stats.first.is_none() {
            i64::MAX
        } else {
            let mut parts = self.parts.borrow_mut();
            let times = parts.entry((event.index, index)).or_insert_with(|| {
                let carries = self.snapshot.part_carries.get(event.index);
                let carry = carries.and_then(|c| c.get(index)).copied();
                effective_times(event.segment, part, source, carry.unwrap_or(i64::MAX))
            });
            let row = event.row - part.first_row as usize;
            times.get(row).copied().unwrap_or(i64::MAX)
        };
        let offset = part.base + u64::from(event.segment.offsets[event.row]);
        (time, source.id.0, offset)
    }
}

/// The times by which the rows of a part are ordered, given what the parts before hand on.
fn effective_times(segment: &Segment, part: &Part, source: &Source, handed: i64) -> Vec<i64> {
    let mut carry = if handed == i64::MAX {
        source.first().unwrap_or(i64::MAX)
    } else {
        handed
    };
    let rows = part.first_row..part.first_row + part.rows;
    rows.map(|row| {
        let time = segment.utc(source, row as usize);
        if time != NO_TIME {
            carry = if source.coarse && carry != i64::MAX {
                carry.max(time)
            } else {
                time
            };
        }
        carry
    })
    .collect()
}

impl Snapshot {
    /// This snapshot with more records; those for which there is no id are left out, which their sources tell. `None` when
    /// a record is of no source.
    pub fn grow(&self, mut more: More) -> Option<Snapshot> {
        let before = self.len();
        let room = room::with_room(u32::try_from(before).ok()?, more.segments, more.sources);
        (more.segments, more.sources) = room;
        let mut placed: Vec<PlacedSegment> = Vec::with_capacity(more.segments.len());
        let mut bases = self.bases.to_vec();
        let mut next = u32::try_from(before).ok()?;
        for segment in &more.segments {
            bases.push(next);
            next = next.checked_add(u32::try_from(segment.len()).ok()?)?;
        }
        let mut last: FxHashMap<u32, Last> = FxHashMap::default();
        let mut entries: Vec<(OrderKey, u32)> = Vec::new();
        let mut old_ends: FxHashMap<usize, Vec<u64>> = FxHashMap::default();
        for (s, segment) in more.segments.iter().enumerate() {
            placed.push(PlacedSegment {
                segment: segment.clone(),
                ends: segment.parts.iter().map(|p| p.end).collect(),
                carries: Arc::default(),
            });
            let mut ends: Vec<u64> = placed[s].ends.to_vec();
            let mut carries = Vec::with_capacity(segment.parts.len());
            for (p, part) in segment.parts.iter().enumerate() {
                let source = more.sources.get(part.source.index())?;
                let id = part.source.0;
                let known = last.entry(id).or_insert_with(|| self.last_of(part.source));
                let first = part.base + u64::from(segment.offsets[part.first_row as usize]);
                match known.at {
                    At::Nowhere => {}
                    At::Old(segment, part) => self.end_of(&mut old_ends, segment)[part] = first,
                    At::New(segment, part) if segment == s => ends[part] = first,
                    At::New(segment, part) => {
                        let mut changed = placed[segment].ends.to_vec();
                        changed[part] = first;
                        placed[segment].ends = changed.into();
                    }
                }
                carries.push(known.carry);
                let times = effective_times(segment, part, source, known.carry);
                if source.stats.first.is_some() {
                    known.carry = times.last().copied().unwrap_or(known.carry);
                }
                known.at = At::New(s, p);
                known.event = bases[self.bases.len() + s] + part.first_row + part.rows - 1;
                ends[p] = source.bytes.max(part.end);
                for (row, time) in (part.first_row..).zip(times) {
                    let offset = part.base + u64::from(segment.offsets[row as usize]);
                    let event = bases[self.bases.len() + s] + row;
                    entries.push(((time, id, offset), event));
                }
            }
            placed[s].ends = ends.into();
            placed[s].carries = carries.into();
        }
        // Sources that grew without a record: what came belongs to their last one.
        let pairs = more.sources.iter().zip(self.sources.iter());
        for (source, old) in pairs.filter(|(a, b)| !Arc::ptr_eq(a, b)) {
            if source.bytes != old.bytes
                && !last.contains_key(&source.id.0)
                && let At::Old(segment, part) = self.last_of(source.id).at
            {
                let end = self.segments[segment].parts[part].end.max(source.bytes);
                self.end_of(&mut old_ends, segment)[part] = end;
            }
        }
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
        all.push(placed, more.state);
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
            // Joins are for who widens: segments may have been joined, so their overlays do not fit any more.
            derived: Arc::default(),
            catalog: more.catalog,
            settled: match more.state {
                RecordState::Settled => next,
                RecordState::Unfinished => self.settled,
            },
            ..self.clone()
        })
    }

    /// This snapshot without the records of some sources, in a new order and with new ids. `None` when cancelled.
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

    /// The ends of the parts of a segment, to be changed.
    fn end_of<'m>(
        &self,
        changed: &'m mut FxHashMap<usize, Vec<u64>>,
        segment: usize,
    ) -> &'m mut Vec<u64> {
        changed
            .entry(segment)
            .or_insert_with(|| self.part_ends[segment].to_vec())
    }

    fn last_of(&self, source: SourceId) -> Last {
        let id = self.last_events.get(source.index()).copied();
        let event = id
            .filter(|id| *id != NO_EVENT)
            .and_then(|id| self.event(EventId(id)));
        match event {
            None => Last {
                at: At::Nowhere,
                carry: i64::MAX,
                event: NO_EVENT,
            },
            Some(event) => Last {
                at: At::Old(event.index, event.segment.part_index(event.row)),
                carry: event.order_time(),
                event: event.id.0,
            },
        }
    }

    /// Old records of sources whose first time came only now: they stand with that time from now on.
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

    /// The order with these entries put in, and these events taken from where they were.
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
            // How far the old ones go on before this one: in growing steps, then by halves.
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

/// The last record of a source so far.
struct Last {
    at: At,
    /// The time that it hands on.
    carry: i64,
    event: u32,
}

#[derive(Clone, Copy)]
enum At {
    Nowhere,
    /// Segment and part of the snapshot that grows.
    Old(usize, usize),
    /// Segment and part among the new ones.
    New(usize, usize),
}

/// The segments of the new snapshot.
struct Tail {
    segments: Vec<Arc<Segment>>,
    bases: Vec<u32>,
    part_ends: Vec<Arc<[u64]>>,
    part_carries: Vec<Arc<[i64]>>,
}

impl Tail {
    /// Adds segments (their bases are there already), and joins small ones.
    fn push(&mut self, placed: Vec<PlacedSegment>, state: RecordState) {
        let bases = self.bases.split_off(self.segments.len());
        for (mut new, mut base) in placed.into_iter().zip(bases) {
            // Each is joined with one of about its size, so that no row is moved often.
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
