//! How far the events of instances reach, by the places that they have among all events in time order.

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

/// No place, no row, no event.
const NOWHERE: u32 = u32::MAX;

/// The events of an instance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// How many.
    pub events: u32,
    /// Place of the first, then which of those that begin with it this one is.
    pub first: (u32, u32),
    /// Places of the first and the last that have a time; `NOWHERE` when none has.
    timed: [u32; 2],
}

impl Extent {
    /// Of no event.
    pub const NOTHING: Extent = Extent {
        events: 0,
        first: (NOWHERE, 0),
        timed: [NOWHERE; 2],
    };

    /// Places of the first and the last that have a time.
    pub fn timed(&self) -> Option<(u32, u32)> {
        let [first, last] = self.timed;
        (first != NOWHERE).then_some((first, last))
    }

    /// Takes over what another segment holds of the same instance.
    pub fn merge(&mut self, other: &Extent) {
        self.events += other.events;
        self.first = self.first.min(other.first);
        if let Some((first, last)) = other.timed() {
            let known = self.timed().unwrap_or((first, last));
            self.timed = [known.0.min(first), known.1.max(last)];
        }
    }
}

/// How far so many instances of a segment reach.
pub(super) fn extents(ground: &Ground<'_>, rows: &RowInstances, instances: usize) -> Vec<Extent> {
    let mut out = vec![Extent::NOTHING; instances];
    rows.each(ground.places.len(), |row, list| {
        let place = ground.places[row];
        let timed = [if ground.is_timed(row) { place } else { NOWHERE }; 2];
        for (among, one) in list.iter().enumerate() {
            let first = (place, among as u32);
            out[*one as usize].merge(&Extent {
                events: 1,
                first,
                timed,
            });
        }
    });
    out
}
