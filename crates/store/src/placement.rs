//! Placement of new segments after the records of a snapshot: new ends of old records, and order keys of new ones.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use widetui_core::ids::{EventId, SourceId};

use super::excerpt::PlacedSegment;
use super::id_limit::NO_EVENT;
use super::order_keys::{OrderKey, effective_times};
use super::segment::{Part, Segment};
use super::snapshot::Snapshot;
use super::source::Source;

/// Placement of new segments in progress.
pub(super) struct Placement<'a> {
    old: &'a Snapshot,
    sources: &'a [Arc<Source>],
    /// New segments placed so far.
    pub(crate) placed: Vec<PlacedParts>,
    /// Last record of each source, by source number.
    pub(crate) last: FxHashMap<u32, Last>,
    /// Entries to be inserted into the time order.
    pub(crate) entries: Vec<(OrderKey, u32)>,
    /// Updated ends of parts, by segment of the old snapshot.
    pub(crate) old_ends: FxHashMap<usize, Vec<u64>>,
}

/// New segment, the ends of whose parts may still change.
pub(super) struct PlacedParts {
    segment: Arc<Segment>,
    ends: Vec<u64>,
    carries: Vec<i64>,
}

impl PlacedParts {
    /// Finishes the segment.
    pub(crate) fn seal(self) -> PlacedSegment {
        PlacedSegment {
            segment: self.segment,
            ends: self.ends.into(),
            carries: self.carries.into(),
        }
    }
}

/// Last record of a source so far.
pub(super) struct Last {
    at: At,
    /// Time that it passes on to following records without a time, UTC ns.
    carry: i64,
    /// Event id.
    pub(crate) event: u32,
}

#[derive(Clone, Copy)]
enum At {
    Nowhere,
    /// Segment and part of the old snapshot.
    Old(usize, usize),
    /// Segment and part among the new ones.
    New(usize, usize),
}

impl<'a> Placement<'a> {
    /// Starts with no new segments; `sources` are the sources of the new snapshot.
    pub(crate) fn new(old: &'a Snapshot, sources: &'a [Arc<Source>]) -> Placement<'a> {
        Placement {
            old,
            sources,
            placed: Vec::new(),
            last: FxHashMap::default(),
            entries: Vec::new(),
            old_ends: FxHashMap::default(),
        }
    }

    /// Places a segment whose first event id is `base`. `None` if a record has an unknown source.
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

    /// Sets the end of the last record of a part.
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

    /// Extends the last record of each source that grew without a new record: the new bytes belong to it.
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

/// Last settled record of a source in a snapshot.
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
