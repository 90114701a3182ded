//! How far the events of instances reach, by the places that they have among all events in time order.

use crate::base::ids::EventId;
use crate::base::time::NO_TIME;
use crate::store::Snapshot;

use super::found::RowInstances;
use super::ground::Ground;

/// Where events lie in time order.
#[derive(Debug)]
pub(super) struct EventPlaces {
    /// By event.
    pub of_event: Vec<u32>,
    /// By segment, whether some of its events have no time.
    pub has_gaps: Vec<bool>,
}

impl EventPlaces {
    /// Of all events of a run.
    pub fn new(snapshot: &Snapshot) -> EventPlaces {
        let mut of_event = vec![u32::MAX; snapshot.len()];
        for (place, event) in snapshot.order.iter().enumerate() {
            if let Some(slot) = of_event.get_mut(*event as usize) {
                *slot = place as u32;
            }
        }
        let has_gaps = snapshot.segments.iter().map(|s| s.times.has_gaps());
        EventPlaces {
            of_event,
            has_gaps: has_gaps.collect(),
        }
    }
}

/// The events of an instance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// How many.
    pub events: u32,
    /// Place of the first, then which of those that begin with it this one is.
    pub first: (u32, u32),
    /// The first.
    pub first_event: EventId,
    /// Places and times (UTC ns) of the first and the last that have a time; their places are `NOWHERE` when none has.
    pub timed: [(u32, i64); 2],
}

/// No place.
const NOWHERE: u32 = u32::MAX;

impl Extent {
    /// Of no event.
    pub const NOTHING: Extent = Extent {
        events: 0,
        first: (NOWHERE, 0),
        first_event: EventId(NOWHERE),
        timed: [(NOWHERE, NO_TIME); 2],
    };

    /// Earliest and latest time, UTC ns.
    pub fn range(&self) -> Option<(i64, i64)> {
        let [first, last] = self.timed;
        (first.0 != NOWHERE).then(|| (first.1.min(last.1), first.1.max(last.1)))
    }

    /// Takes over what another segment holds of the same instance.
    pub fn merge(&mut self, other: &Extent) {
        self.events += other.events;
        if other.first < self.first {
            (self.first, self.first_event) = (other.first, other.first_event);
        }
        let [first, last] = other.timed;
        if first.0 < self.timed[0].0 {
            self.timed[0] = first;
        }
        if last.0 != NOWHERE && (self.timed[1].0 == NOWHERE || last.0 > self.timed[1].0) {
            self.timed[1] = last;
        }
    }
}

/// The same within a segment, by rows: small, as each row comes by here for each entity.
#[derive(Clone, Copy)]
struct InSegment {
    events: u32,
    /// Place and row of the first, and which of those that begin with it this one is.
    first: (u32, u32),
    among: u32,
    /// Places and rows of the first and the last that have a time.
    timed: [(u32, u32); 2],
}

/// How far so many instances of a segment reach.
pub(super) fn extents(ground: &Ground<'_>, rows: &RowInstances, instances: usize) -> Vec<Extent> {
    let nothing = InSegment {
        events: 0,
        first: (NOWHERE, 0),
        among: 0,
        timed: [(NOWHERE, 0); 2],
    };
    let mut found = vec![nothing; instances];
    let segment = ground.view.segment;
    rows.each(segment.len(), |row, list| {
        let here = (ground.places[row], row as u32);
        let is_timed = ground.is_timed(row);
        for (among, one) in list.iter().enumerate() {
            let known = &mut found[*one as usize];
            known.events += 1;
            if here.0 < known.first.0 {
                (known.first, known.among) = (here, among as u32);
            }
            if is_timed {
                let [first, last] = &mut known.timed;
                if here.0 < first.0 {
                    *first = here;
                }
                if last.0 == NOWHERE || here.0 > last.0 {
                    *last = here;
                }
            }
        }
    });
    let time = |(place, row): (u32, u32)| match place {
        NOWHERE => (NOWHERE, NO_TIME),
        place => {
            let source = ground
                .view
                .snapshot
                .source(segment.part(row as usize).source);
            let time = segment.times.get(row as usize);
            (place, source.map_or(NO_TIME, |s| s.utc(time)))
        }
    };
    let extent = |found: InSegment| Extent {
        events: found.events,
        first: (found.first.0, found.among),
        first_event: EventId(ground.base + found.first.1),
        timed: found.timed.map(time),
    };
    found.into_iter().map(extent).collect()
}
