//! Positions of single records in the time order.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use widetui_core::ids::EventId;
use widetui_time::time::NO_TIME;

use super::segment::{Part, Segment};
use super::snapshot::Snapshot;
use super::source::{Source, effective_time};

/// Sort key of a record in the time order: time (UTC ns), source, offset of its first byte.
pub type OrderKey = (i64, u32, u64);

/// Order keys of events; the effective times of a part are computed once and cached.
#[derive(Debug)]
pub struct OrderKeys<'a> {
    snapshot: &'a Snapshot,
    parts: RefCell<FxHashMap<(usize, usize), Vec<i64>>>,
}

impl<'a> OrderKeys<'a> {
    /// Order keys of the events of a snapshot.
    pub fn new(snapshot: &'a Snapshot) -> OrderKeys<'a> {
        OrderKeys {
            snapshot,
            parts: RefCell::default(),
        }
    }

    /// Order key of an event; the greatest key for an unknown event.
    pub fn of(&self, id: u32) -> OrderKey {
        let Some(event) = self.snapshot.event(EventId(id)) else {
            return (i64::MAX, u32::MAX, u64::MAX);
        };
        let index = event.segment.part_index(event.row);
        let part = &event.segment.parts[index];
        let source = event.source();
        let own = event.segment.utc(source, event.row);
        let time = if own != NO_TIME && source.kept_step_back() == 0 {
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

/// Effective times of a part's rows, UTC ns, by which they are ordered. `inherited` is the time taken over from earlier
/// parts.
pub(super) fn effective_times(
    segment: &Segment,
    part: &Part,
    source: &Source,
    inherited: i64,
) -> Vec<i64> {
    let mut carry = if inherited == i64::MAX {
        source.first().unwrap_or(i64::MAX)
    } else {
        inherited
    };
    let kept = source.kept_step_back();
    let rows = part.first_row..part.first_row + part.rows;
    rows.map(|row| {
        carry = effective_time(carry, segment.utc(source, row as usize), kept);
        carry
    })
    .collect()
}

impl Snapshot {
    /// Position of an event in the time order.
    pub fn place_of(&self, id: EventId) -> Option<usize> {
        self.event(id)?;
        let keys = OrderKeys::new(self);
        let key = keys.of(id.0);
        let place = self.order.partition_point(|other| keys.of(*other) < key);
        match self.order.get(place) {
            Some(found) if *found == id.0 => Some(place),
            // The order of an excerpt is not sorted by key.
            _ => self.order.position(id.0),
        }
    }
}
