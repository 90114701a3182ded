//! Which events are about which instances of an entity, of the whole run.
//!
//! It is kept as the segments found it, which is small. Lists of each instance's events are made when somebody asks for one:
//! most questions want to know how many there are, the first one, or whether a certain one is among them.

use std::sync::OnceLock;

use widetui_core::ids::EventId;
use widetui_store::IdList;

use crate::entity::ids::NOBODY;
use crate::entity::segment_instances::RowInstances;

/// Instances in one segment.
#[derive(Debug)]
pub(super) struct Share {
    /// The first event of the segment, and the number of its events.
    pub base: u32,
    pub len: u32,
    pub rows: RowInstances,
    /// For each of its instances the number in the whole run, `NOBODY` for one that does not count.
    pub to: Vec<u32>,
}

impl Share {
    /// Calls `f` with each event that is about something, and the instances that it is about as the segment numbers them.
    pub fn each(&self, mut f: impl FnMut(u32, &[u32])) {
        let each = |row: usize, list: &[u32]| f(self.base + row as u32, list);
        self.rows.each(self.len as usize, each);
    }
}

/// See the module's text.
#[derive(Debug, Default)]
pub(super) struct Membership {
    shares: Vec<Share>,
    /// By instance, the number of its events.
    sizes: Vec<u32>,
    /// Events of the run in time order.
    order: IdList,
    lists: OnceLock<Lists>,
}

/// The events of all instances, one instance behind the other.
#[derive(Debug)]
pub(super) struct Lists {
    events: Vec<u32>,
    /// By instance, where its events begin.
    starts: Vec<u32>,
}

impl Membership {
    /// Of the segments of a run in their order.
    pub fn new(shares: Vec<Share>, sizes: Vec<u32>, order: IdList) -> Membership {
        Membership {
            shares,
            sizes,
            order,
            lists: OnceLock::new(),
        }
    }

    /// The number of events of an instance.
    pub fn count(&self, instance: u32) -> usize {
        self.sizes.get(instance as usize).map_or(0, |n| *n as usize)
    }

    /// The events of an instance in time order.
    pub fn events(&self, instance: u32) -> &[u32] {
        let lists = self.list();
        let start = lists.starts.get(instance as usize);
        let start = start.map_or(0, |start| *start as usize);
        let end = start + self.count(instance);
        lists.events.get(start..end).unwrap_or_default()
    }

    /// Calls `f` with each instance that an event is about.
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

    /// Calls `f` with each event and each instance that it is about, in the order of the files.
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

    /// The lists, made when first asked for.
    pub fn list(&self) -> &Lists {
        self.lists.get_or_init(|| {
            let several: usize = self.shares.iter().map(|s| s.rows.several()).sum();
            // Small numbers: less memory to go through, in an order that is not its own.
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

/// A number that is kept for every event, as small as the instances allow.
trait Number: Copy + Default + Into<u32> + TryFrom<u32> {}

impl<N: Copy + Default + Into<u32> + TryFrom<u32>> Number for N {}

/// Whose each event is, of all events.
#[derive(Debug)]
struct Whose<N> {
    /// By event: 0 for nobody's, else the number of its instance and one; beyond them a place in `several`.
    of_event: Vec<N>,
    /// Of events that are about several instances: they.
    several: Vec<Box<[u32]>>,
}

impl<N: Number> Whose<N> {
    /// Takes over what a segment holds of so many instances.
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

    /// The events of each instance in time order, by one walk over all of them.
    fn walk(self, order: &IdList, sizes: &[u32]) -> Lists {
        let total: u32 = sizes.iter().sum();
        // What is nobody's goes behind all, again and again to the same place: no branch that nobody can foresee.
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

    /// The walk over events that are about these instances, in this order.
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
        /// Each instance has its events in the order of all, however small the numbers are that say whose they are.
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
