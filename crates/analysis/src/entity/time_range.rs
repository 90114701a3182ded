//! Positions of events in time order, and ranges of such positions.

use widetui_core::ids::EventId;
use widetui_store::Snapshot;

/// Positions of all events in time order.
#[derive(Debug)]
pub(super) struct EventPositions {
    /// Position in time order of each event.
    pub(crate) by_event: Vec<u32>,
    /// Whether some events of each segment have no time.
    pub(crate) has_untimed: Vec<bool>,
}

impl EventPositions {
    /// Positions of all events of a run.
    pub(crate) fn new(snapshot: &Snapshot) -> EventPositions {
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
        EventPositions {
            by_event: of_event,
            has_untimed: has_gaps.collect(),
        }
    }
}

/// Position of an event in time order (upper half) and its location (lower half), so that minimum
/// and maximum find the first and last event. During the scan of a segment the location is the row
/// and its index in the group, later the id of the event.
pub(super) type Spot = u64;

/// Spot of a row, given its position and its index in the group.
#[inline]
pub(super) fn spot(place: u32, row: usize, in_group: usize) -> Spot {
    u64::from(place) << 32 | (row as u64) << 16 | in_group as u64
}

/// Row of a spot in a segment, and the row's index in its group.
#[inline]
pub(super) fn row_of(spot: Spot) -> (usize, usize) {
    let (row, in_group) = ((spot >> 16) as u16, spot as u16);
    (usize::from(row), usize::from(in_group))
}

/// Converts a spot of a segment, whose first event is `base`, to one of the whole run.
#[inline]
pub(super) fn run_spot(spot: Spot, base: u32) -> Spot {
    match spot {
        NO_SPOT => NO_SPOT,
        spot => u64::from(position(spot)) << 32 | u64::from(base + row_of(spot).0 as u32),
    }
}

/// Event of a spot of the whole run; `None` for `NO_SPOT`.
#[inline]
pub(super) fn event_of(spot: Spot) -> Option<EventId> {
    (spot != NO_SPOT).then_some(EventId(spot as u32))
}

/// Position of a spot in time order.
#[inline]
pub(super) fn position(spot: Spot) -> u32 {
    (spot >> 32) as u32
}

/// Spot of no event.
pub(super) const NO_SPOT: Spot = Spot::MAX;

/// Range of some events of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SpotRange {
    /// First and last event; `NO_SPOT` if there are none.
    pub(crate) all: [Spot; 2],
    /// First and last event with a time; `NO_SPOT` if none has one.
    pub(crate) timed: [Spot; 2],
}

impl SpotRange {
    /// Range without events.
    pub(crate) const EMPTY: SpotRange = SpotRange {
        all: [NO_SPOT; 2],
        timed: [NO_SPOT; 2],
    };

    /// Extends the range by an event.
    #[inline]
    pub(crate) fn add(&mut self, spot: Spot, is_timed: bool) {
        extend(&mut self.all, spot);
        if is_timed {
            extend(&mut self.timed, spot);
        }
    }

    /// First and last event with a time, if any.
    pub(crate) fn timed(&self) -> Option<[Spot; 2]> {
        (self.timed[0] != NO_SPOT).then_some(self.timed)
    }
}

/// Extends a range by a spot. `NO_SPOT` is the greatest spot and wraps to 0 when incremented, so
/// that an empty range needs no branch.
#[inline]
pub(super) fn extend(known: &mut [Spot; 2], spot: Spot) {
    known[0] = known[0].min(spot);
    known[1] = known[1].wrapping_add(1).max(spot + 1) - 1;
}
