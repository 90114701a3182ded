//! New segments behind the records of a snapshot: where the records before them end now, and where the new ones stand.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_core::ids::{EventId, SourceId};

use super::excerpt::PlacedSegment;
use super::orderkeys::{OrderKey, effective_times};
use super::room::NO_EVENT;
use super::segment::{Part, Segment};
use super::snapshot::Snapshot;
use super::source::Source;

/// The walk over the new segments.
pub(super) struct Placing<'a> {
    old: &'a Snapshot,
    sources: &'a [Arc<Source>],
    /// The new segments so far.
    pub(crate) placed: Vec<PlacedParts>,
    /// By source.
    pub(crate) last: FxHashMap<u32, Last>,
    /// What is to be put into the order.
    pub(crate) entries: Vec<(OrderKey, u32)>,
    /// The ends of old parts, for segments of which one changed.
    pub(crate) old_ends: FxHashMap<usize, Vec<u64>>,
}

/// A new segment, of whose parts the ends may still change.
pub(super) struct PlacedParts {
    segment: Arc<Segment>,
    ends: Vec<u64>,
    carries: Vec<i64>,
}

impl PlacedParts {
    /// As it stays.
    pub(crate) fn seal(self) -> PlacedSegment {
        PlacedSegment {
            segment: self.segment,
            ends: self.ends.into(),
            carries: self.carries.into(),
        }
    }
}

/// The last record of a source so far.
pub(super) struct Last {
    at: At,
    /// The time that it hands on.
    carry: i64,
    /// Its number.
    pub(crate) event: u32,
}

#[derive(Clone, Copy)]
enum At {
    Nowhere,
    /// Segment and part of the snapshot that grows.
    Old(usize, usize),
    /// Segment and part among the new ones.
    New(usize, usize),
}

impl<'a> Placing<'a> {
    /// Nothing new so far; `sources` are those of the new snapshot.
    pub(crate) fn new(old: &'a Snapshot, sources: &'a [Arc<Source>]) -> Placing<'a> {
        Placing {
            old,
            sources,
            placed: Vec::new(),
            last: FxHashMap::default(),
            entries: Vec::new(),
            old_ends: FxHashMap::default(),
        }
    }

    /// Adds a segment whose first event has this number. `None` when a record is of no source.
    pub(crate) fn place(&mut self, segment: &Arc<Segment>, base: u32) -> Option<()> {
        let at = self.placed.len();
        self.placed.push(PlacedParts {
            segment: segment.clone(),
            ends: Vec::with_capacity(segment.parts.len()),
            carries: Vec::with_capacity(segment.parts.len()),
        });
        for (p, part) in segment.parts.iter().enumerate() {
            self.part(segment, base, part, At::New(at, p))?;
        }
        Some(())
    }

    fn part(&mut self, segment: &Segment, base: u32, part: &Part, at: At) -> Option<()> {
        let source = self.sources.get(part.source.index())?;
        let id = part.source.0;
        let known = (self.last.entry(id)).or_insert_with(|| last_of(self.old, part.source));
        let (before, carry) = (known.at, known.carry);
        let times = effective_times(segment, part, source, carry);
        if source.stats.first.is_some() {
            known.carry = times.last().copied().unwrap_or(carry);
        }
        known.at = at;
        known.event = base + part.first_row + part.rows - 1;
        let start = |row: u32| part.base + u64::from(segment.offsets[row as usize]);
        self.ends_at(before, start(part.first_row));
        if let Some(placed) = self.placed.last_mut() {
            placed.carries.push(carry);
            placed.ends.push(source.bytes.max(part.end));
        }
        let rows = (part.first_row..).zip(times);
        let entries = rows.map(|(row, time)| ((time, id, start(row)), base + row));
        self.entries.extend(entries);
        Some(())
    }

    /// The last record of a part ends at this byte.
    fn ends_at(&mut self, at: At, byte: u64) {
        match at {
            At::Nowhere => {}
            At::Old(segment, part) => {
                let ends = self.old_ends.entry(segment);
                ends.or_insert_with(|| self.old.part_ends[segment].to_vec())[part] = byte;
            }
            At::New(segment, part) => self.placed[segment].ends[part] = byte,
        }
    }

    /// Sources that grew without a record: what came belongs to their last one.
    pub(crate) fn lengthen(&mut self) {
        let pairs = self.sources.iter().zip(self.old.sources.iter());
        for (source, old) in pairs.filter(|(a, b)| !Arc::ptr_eq(a, b)) {
            if source.bytes != old.bytes
                && !self.last.contains_key(&source.id.0)
                && let at @ At::Old(segment, part) = last_of(self.old, source.id).at
            {
                let end = self.old.segments[segment].parts[part].end;
                self.ends_at(at, end.max(source.bytes));
            }
        }
    }
}

/// The last settled record of a source in a snapshot.
fn last_of(snapshot: &Snapshot, source: SourceId) -> Last {
    let id = snapshot.last_events.get(source.index()).copied();
    let event = id
        .filter(|id| *id != NO_EVENT)
        .and_then(|id| snapshot.event(EventId(id)));
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
