//! Assignment of events to the instances of an entity in the whole run.
//!
//! The assignment is kept in the compact form of the segments. Lists of events by instance are
//! built on first use: most callers need only their number, the first event, or a membership test.

use std::sync::OnceLock;

use widetui_core::ids::EventId;
use widetui_store::IdList;

use crate::entity::ids::NOBODY;
use crate::entity::segment_instances::RowInstances;

/// Instances of the events of one segment.
#[derive(Debug)]
pub(super) struct Share {
    /// Id of the first event of the segment; `len` is the number of its events.
    pub base: u32,
    pub len: u32,
    pub rows: RowInstances,
    /// Number in the whole run of each instance of the segment; `NOBODY` for instances that do not
    /// count.
    pub to: Vec<u32>,
}

impl Share {
    /// Calls `f` with each event that has instances, and their numbers in the segment.
    pub fn each(&self, mut f: impl FnMut(u32, &[u32])) {
        let each = |row: usize, list: &[u32]| f(self.base + row as u32, list);
        self.rows.each(self.len as usize, each);
    }
}

/// Assignment of events to instances, see the module.
#[derive(Debug, Default)]
pub(super) struct Membership {
    shares: Vec<Share>,
    /// Number of events by instance.
    sizes: Vec<u32>,
    /// Events of the run in time order.
    order: IdList,
    lists: OnceLock<Lists>,
}

/// Events of all instances, stored contiguously by instance.
#[derive(Debug)]
pub(super) struct Lists {
    events: Vec<u32>,
    /// Start of the events of each instance.
    starts: Vec<u32>,
}

impl Membership {
    /// Combines the segments of a run in their order.
    pub fn new(shares: Vec<Share>, sizes: Vec<u32>, order: IdList) -> Membership {
        Membership {
            shares,
            sizes,
            order,
            lists: OnceLock::new(),
        }
    }

    /// Number of events of an instance.
    pub fn count(&self, instance: u32) -> usize {
        self.sizes.get(instance as usize).map_or(0, |n| *n as usize)
    }

    /// Events of an instance in time order.
    pub fn events(&self, instance: u32) -> &[u32] {
        let lists = self.list();
        let start = lists.starts.get(instance as usize);
        let start = start.map_or(0, |start| *start as usize);
        let end = start + self.count(instance);
        lists.events.get(start..end).unwrap_or_default()
    }

    /// Calls `f` with each instance of an event.
    pub fn of(&self, event: EventId, mut f: impl FnMut(u32)) {
        let after = self.shares.partition_point(|s| s.base <= event.0);
        let share = after.checked_sub(1).and_then(|at| self.shares.get(at));
        let Some(share) = share.filter(|s| event.0 - s.base < s.len) else {
            return;
        };
        share.rows.at((event.0 - share.base) as usize, |list| {
            let all = list.iter().map(|local| share.to[*local as usize]);
            all.filter(|at| *at != NOBODY).for_each(&mut f);
        });
    }

    /// Calls `f` with each event and each of its instances, in file order.
    pub fn each(&self, mut f: impl FnMut(u32, u32)) {
        for share in &self.shares {
            share.each(|event, list| {
                for local in list {
                    let at = share.to[*local as usize];
                    if at != NOBODY {
                        f(event, at);
                    }
                }
            });
        }
    }

    /// Lists of events by instance, built on first use.
    pub fn list(&self) -> &Lists {
        self.lists.get_or_init(|| {
            let several: usize = self.shares.iter().map(|s| s.rows.several()).sum();
            // Small integers reduce the memory that is read in random order.
            match self.sizes.len() + several + 1 {
                0..=0x100 => self.list_by::<u8>(),
                0x101..=0x1_0000 => self.list_by::<u16>(),
                _ => self.list_by::<u32>(),
            }
        })
    }

    fn list_by<N: Number>(&self) -> Lists {
        let all = self.shares.last().map_or(0, |s| s.base + s.len);
        let mut whose: Whose<N> = Whose {
            of_event: vec![N::default(); all as usize],
            several: Vec::new(),
        };
        for share in &self.shares {
            whose.take(share, self.sizes.len());
        }
        whose.walk(&self.order, &self.sizes)
    }
}

/// Integer that is stored for every event, as small as the number of instances allows.
trait Number: Copy + Default + Into<u32> + TryFrom<u32> {}

impl<N: Copy + Default + Into<u32> + TryFrom<u32>> Number for N {}

/// Instance of every event.
#[derive(Debug)]
struct Whose<N> {
    /// By event: 0 without an instance, otherwise the instance number plus one; larger values index
    /// into `several`.
    of_event: Vec<N>,
    /// Instances of events that have several.
    several: Vec<Box<[u32]>>,
}

impl<N: Number> Whose<N> {
    /// Adds the events of a segment; `instances` is the number of instances of the run.
    fn take(&mut self, share: &Share, instances: usize) {
        let number = |at: u32| N::try_from(at).unwrap_or_default();
        share.each(|event, list| {
            let slot = &mut self.of_event[event as usize];
            if let [one] = list {
                let at = share.to[*one as usize];
                if at != NOBODY {
                    *slot = number(at + 1);
                }
                return;
            }
            let all = list.iter().map(|one| share.to[*one as usize]);
            let all: Box<[u32]> = all.filter(|at| *at != NOBODY).collect();
            match &all[..] {
                [] => {}
                [one] => *slot = number(one + 1),
                _ => {
                    self.several.push(all);
                    *slot = number((instances + self.several.len()) as u32);
                }
            }
        });
    }

    /// Lists the events of each instance in time order, in one pass over all events.
    fn walk(self, order: &IdList, sizes: &[u32]) -> Lists {
        let total: u32 = sizes.iter().sum();
        // Events without an instance are all written to the last slot, which avoids an
        // unpredictable branch.
        let mut cursors = vec![total];
        let mut next = 0;
        for size in sizes {
            cursors.push(next);
            next += size;
        }
        let starts = cursors[1..].to_vec();
        let mut events = vec![0; total as usize + 1];
        let mut put = |at: usize, event: u32| {
            let cursor = &mut cursors[at];
            events[*cursor as usize] = event;
            *cursor += u32::from(at != 0);
        };
        for slice in order.slices() {
            for event in slice.iter() {
                let at: u32 = self.of_event[*event as usize].into();
                match (at as usize).checked_sub(sizes.len() + 1) {
                    None => put(at as usize, *event),
                    Some(place) => {
                        for at in &self.several[place] {
                            put(*at as usize + 1, *event);
                        }
                    }
                }
            }
        }
        events.truncate(total as usize);
        Lists { events, starts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Lists built from events with these instances, in this order.
    fn walk<N: Number>(events: &[Vec<u32>], order: &[u32], sizes: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let number = |at: usize| N::try_from(at as u32).unwrap_or_default();
        let mut several: Vec<Box<[u32]>> = Vec::new();
        let of = |list: &Vec<u32>| match &list[..] {
            [] => N::default(),
            [one] => number(*one as usize + 1),
            list => {
                several.push(list.into());
                number(sizes.len() + several.len())
            }
        };
        let of_event = events.iter().map(of).collect();
        let lists = Whose { of_event, several }.walk(&order.to_vec().into(), sizes);
        (lists.events, lists.starts)
    }

    proptest! {
        /// Each instance has its events in time order, whatever the size of the integers.
        #[test]
        fn a_walk_sorts_events_by_instance(
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
            let small = walk::<u8>(&events, &order, &sizes);
            let (all, starts) = &small;
            for (at, want) in want.iter().enumerate() {
                let start = starts[at] as usize;
                prop_assert_eq!(&all[start..start + want.len()], &want[..]);
            }
            prop_assert_eq!(all.len(), want.concat().len());
            prop_assert_eq!(&walk::<u16>(&events, &order, &sizes), &small);
            prop_assert_eq!(&walk::<u32>(&events, &order, &sizes), &small);
        }
    }
}
