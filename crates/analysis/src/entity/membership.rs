//! Assignment of events to the instances of an entity in the whole run.
//!
//! The assignment is kept in the compact form of the segments. Lists of events by instance are
//! built on first use: most callers need only their number, the first event, or a membership test.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use widetui_core::ids::EventId;
use widetui_store::IdList;

use crate::entity::ids::NO_INSTANCE;
use crate::entity::members::RowInstances;

/// Instances of the events of one segment.
#[derive(Debug)]
pub(super) struct SegmentMembership {
    /// Id of the first event of the segment; `len` is the number of its events.
    pub(crate) base: u32,
    /// Number of events of the segment.
    pub(crate) len: u32,
    /// Instances of the rows, numbered within the segment.
    pub(crate) rows: Arc<RowInstances>,
    /// Number in the whole run of each instance of the segment; `NO_INSTANCE` for instances that do not
    /// count.
    pub(crate) run_numbers: Vec<u32>,
}

impl SegmentMembership {
    /// Calls `f` with each event that has instances, and their numbers in the segment.
    pub(crate) fn for_each(&self, mut f: impl FnMut(u32, &[u32])) {
        let each = |row: usize, list: &[u32]| f(self.base + row as u32, list);
        self.rows.for_each(self.len as usize, each);
    }
}

/// Assignment of events to instances, see the module.
#[derive(Debug, Default)]
pub(super) struct Membership {
    segments: Vec<SegmentMembership>,
    /// Number of events by instance.
    sizes: Vec<u32>,
    /// Events of the run in time order.
    order: IdList,
    cached_lists: OnceLock<EventLists>,
}

/// Events of all instances, stored contiguously by instance.
#[derive(Clone, Debug)]
pub(super) struct EventLists {
    events: Vec<u32>,
    /// Start of the events of each instance, followed by the number of all events.
    starts: Vec<u32>,
}

impl EventLists {
    /// Events of an instance in time order.
    pub(crate) fn events(&self, instance: u32) -> &[u32] {
        let at = instance as usize;
        let bounds = self.starts.get(at).zip(self.starts.get(at + 1));
        let events =
            bounds.and_then(|(start, end)| self.events.get(*start as usize..*end as usize));
        events.unwrap_or_default()
    }
}

/// Number of the last events of the run that are examined for each requested event of an instance before lists are built.
const EXAMINED: usize = 1000;

impl Membership {
    /// Combines the segments of a run in their order.
    pub(crate) fn new(
        shares: Vec<SegmentMembership>,
        sizes: Vec<u32>,
        order: IdList,
    ) -> Membership {
        Membership {
            segments: shares,
            sizes,
            order,
            cached_lists: OnceLock::new(),
        }
    }

    /// Instances of the rows of a segment.
    pub(crate) fn segment_rows(&self, index: usize) -> Option<&Arc<RowInstances>> {
        self.segments.get(index).map(|segment| &segment.rows)
    }

    /// Number of events of an instance.
    pub(crate) fn count(&self, instance: u32) -> usize {
        self.sizes.get(instance as usize).map_or(0, |n| *n as usize)
    }

    /// Events of an instance in time order.
    pub(crate) fn events(&self, instance: u32) -> &[u32] {
        self.event_lists().events(instance)
    }

    /// Last events of an instance, at most `most`, latest first. Builds no lists if these events are among the last of
    /// the run.
    pub(crate) fn last_events(&self, instance: u32, most: usize) -> Vec<u32> {
        let most = most.min(self.count(instance));
        if self.cached_lists.get().is_none() {
            let slices = self.order.slices().iter().rev();
            let events = slices.flat_map(|slice| slice.iter().rev().copied());
            let own = events
                .take(EXAMINED * most)
                .filter(|event| self.has_event(instance, EventId(*event)));
            let own: Vec<u32> = own.take(most).collect();
            if own.len() == most {
                return own;
            }
        }
        let events = self.events(instance).iter().rev();
        events.take(most).copied().collect()
    }

    /// Whether an event belongs to an instance.
    pub(crate) fn has_event(&self, instance: u32, event: EventId) -> bool {
        let mut has = false;
        self.for_each_instance(event, |of| has |= of == instance);
        has
    }

    /// Calls `f` with each instance of an event.
    pub(crate) fn for_each_instance(&self, event: EventId, mut f: impl FnMut(u32)) {
        let after = self.segments.partition_point(|s| s.base <= event.0);
        let segment = after.checked_sub(1).and_then(|at| self.segments.get(at));
        let Some(segment) = segment.filter(|s| event.0 - s.base < s.len) else {
            return;
        };
        segment
            .rows
            .with_row((event.0 - segment.base) as usize, |list| {
                let all = list
                    .iter()
                    .map(|local| segment.run_numbers[*local as usize]);
                all.filter(|at| *at != NO_INSTANCE).for_each(&mut f);
            });
    }

    /// Calls `f` with each event and each of its instances, in file order.
    pub(crate) fn for_each_pair(&self, mut f: impl FnMut(u32, u32)) {
        for segment in &self.segments {
            segment.for_each(|event, list| {
                for local in list {
                    let at = segment.run_numbers[*local as usize];
                    if at != NO_INSTANCE {
                        f(event, at);
                    }
                }
            });
        }
    }

    /// Lists of events by instance, built on first use.
    pub(crate) fn event_lists(&self) -> &EventLists {
        self.cached_lists.get_or_init(|| self.build_lists())
    }

    /// Lists of events by instance, which are not kept unless they are kept already.
    pub(crate) fn temporary_lists(&self) -> Cow<'_, EventLists> {
        match self.cached_lists.get() {
            Some(lists) => Cow::Borrowed(lists),
            None => Cow::Owned(self.build_lists()),
        }
    }

    /// Builds the lists of events.
    fn build_lists(&self) -> EventLists {
        let mut starts = vec![0];
        starts.extend(self.sizes.iter().scan(0, |end, size| {
            *end += size;
            Some(*end)
        }));
        let mut next = starts.clone();
        let total = starts.last().map_or(0, |total| *total as usize);
        let mut events = vec![0; total];
        self.for_each_pair(|event, at| {
            let next = &mut next[at as usize];
            events[*next as usize] = event;
            *next += 1;
        });
        let mut positions = vec![0u32; self.order.len()];
        for (event, position) in self.order.iter().zip(0..) {
            positions[*event as usize] = position;
        }
        for bounds in starts.windows(2) {
            // Files are in time order, mostly.
            let own = &mut events[bounds[0] as usize..bounds[1] as usize];
            own.sort_by_key(|event| positions[*event as usize]);
        }
        EventLists { events, starts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::members::RowMembers;
    use proptest::prelude::*;

    proptest! {
        /// Each instance has its events in time order.
        #[test]
        fn events_are_listed_by_instance(
            events in prop::collection::vec((prop::collection::btree_set(0u32..6, 0..3), any::<u32>()), 0..80),
        ) {
            let mut order: Vec<u32> = (0..events.len() as u32).collect();
            order.sort_by_key(|at| events[*at as usize].1);
            let events: Vec<Vec<u32>> = events.into_iter().map(|(set, _)| set.into_iter().collect()).collect();
            let mut want: Vec<Vec<u32>> = vec![Vec::new(); 6];
            for event in &order {
                for at in &events[*event as usize] {
                    want[*at as usize].push(*event);
                }
            }
            let sizes: Vec<u32> = want.iter().map(|w| w.len() as u32).collect();
            let mut members = RowMembers::default();
            for (row, all) in events.iter().enumerate() {
                members.set((row, events.len()), 0..all.len(), all);
            }
            let segment = SegmentMembership {
                base: 0,
                len: events.len() as u32,
                rows: Arc::new(members.pack(6)),
                run_numbers: (0..6).collect(),
            };
            let lists = Membership::new(vec![segment], sizes, order.into()).build_lists();
            for (at, want) in want.iter().enumerate() {
                prop_assert_eq!(lists.events(at as u32), &want[..]);
            }
        }
    }
}
