//! Extent of some events: their number, the first and the last.

/// Positions in time order of the first and the last of some events.
pub(super) type PositionRange = Option<(u32, u32)>;

/// Number and extent of the events of an instance. Times are looked up after all segments were
/// scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EventExtent {
    /// Number of events of the instance.
    pub(crate) events: u32,
    /// Time-order position of the first event, then the index among the instances of that event.
    pub(crate) first: (u32, u32),
    /// First and last event with a time.
    pub(crate) timed: PositionRange,
}

impl EventExtent {
    /// Extent without events.
    pub(crate) const EMPTY: EventExtent = EventExtent {
        events: 0,
        first: (u32::MAX, 0),
        timed: None,
    };

    /// Adds the events of another extent.
    #[inline]
    pub(crate) fn add(&mut self, other: EventExtent) {
        self.events += other.events;
        self.first = self.first.min(other.first);
        extend(&mut self.timed, other.timed);
    }
}

/// Extends a range by another one.
#[inline]
pub(super) fn extend(known: &mut PositionRange, new: PositionRange) {
    *known = match (*known, new) {
        (Some(known), Some(new)) => Some((known.0.min(new.0), known.1.max(new.1))),
        (known, new) => known.or(new),
    };
}
