//! Order of events in time, and the time range of some of them.

use widetui_core::ids::EventId;
use widetui_store::Snapshot;

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
        let mut place = 0;
        for slice in snapshot.order.slices() {
            for event in slice.iter() {
                if let Some(slot) = of_event.get_mut(*event as usize) {
                    *slot = place;
                }
                place += 1;
            }
        }
        let has_gaps = snapshot.segments.iter().map(|s| s.times.has_gaps());
        EventPlaces {
            of_event,
            has_gaps: has_gaps.collect(),
        }
    }
}

/// Where an event is: its place among all events, then what finds it, so that the first and the last one of some can be looked
/// at. While its segment is looked at that is its row and its place among those of its group, later the event itself.
pub(super) type Spot = u64;

/// The spot of a row with this place, which stands so far in its group.
#[inline]
pub(super) fn spot(place: u32, row: usize, in_group: usize) -> Spot {
    u64::from(place) << 32 | (row as u64) << 16 | in_group as u64
}

/// The row of a spot in a segment, and where it stands in its group.
#[inline]
pub(super) fn row_of(spot: Spot) -> (usize, usize) {
    let (row, in_group) = ((spot >> 16) as u16, spot as u16);
    (usize::from(row), usize::from(in_group))
}

/// A spot of the segment that begins with this event as one that the whole run knows.
#[inline]
pub(super) fn in_run(spot: Spot, base: u32) -> Spot {
    match spot {
        NOWHERE => NOWHERE,
        spot => u64::from(place(spot)) << 32 | u64::from(base + row_of(spot).0 as u32),
    }
}

/// The event of a spot that the whole run knows; nothing for nowhere.
#[inline]
pub(super) fn event_of(spot: Spot) -> Option<EventId> {
    (spot != NOWHERE).then_some(EventId(spot as u32))
}

/// The place of a spot.
#[inline]
pub(super) fn place(spot: Spot) -> u32 {
    (spot >> 32) as u32
}

/// No event.
pub(super) const NOWHERE: Spot = Spot::MAX;

/// How far some events of a segment reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reach {
    /// The first and the last; `NOWHERE` when there are none.
    pub all: [Spot; 2],
    /// The first and the last that have a time; `NOWHERE` when none has.
    pub timed: [Spot; 2],
}

impl Reach {
    /// Of no event.
    pub const NOTHING: Reach = Reach {
        all: [NOWHERE; 2],
        timed: [NOWHERE; 2],
    };

    /// Takes an event over.
    #[inline]
    pub fn add(&mut self, spot: Spot, is_timed: bool) {
        widen(&mut self.all, spot);
        if is_timed {
            widen(&mut self.timed, spot);
        }
    }

    /// The first and the last of those that have a time.
    pub fn timed(&self) -> Option<[Spot; 2]> {
        (self.timed[0] != NOWHERE).then_some(self.timed)
    }
}

/// Widens two spots by another one: `NOWHERE` is greater than any spot, and greater by one than that is nothing.
#[inline]
pub(super) fn widen(known: &mut [Spot; 2], spot: Spot) {
    known[0] = known[0].min(spot);
    known[1] = known[1].wrapping_add(1).max(spot + 1) - 1;
}
