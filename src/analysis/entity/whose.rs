//! Whose each event is, of all events, and the events of each instance in time order by one walk over them.

use std::ops::Range;

use crate::store::Snapshot;

use super::found::Found;
use super::ids::NOBODY;

/// A number that is kept for every event, as small as the instances allow.
pub(super) trait Number: Copy + Default + Into<u32> + TryFrom<u32> {}

impl<N: Copy + Default + Into<u32> + TryFrom<u32>> Number for N {}

/// See the module's text.
#[derive(Debug)]
pub(super) struct Whose<N> {
    /// By event: 0 for nobody's, else the number of its instance and one; beyond them a place in `several`.
    pub of_event: Vec<N>,
    /// Of events that are about several instances: they.
    pub several: Vec<Box<[u32]>>,
}

/// Where the next event of an instance goes, and where its first went.
#[derive(Clone, Copy)]
struct Cursor {
    next: u32,
    start: u32,
}

impl<N: Number> Whose<N> {
    /// Takes over what a segment holds, whose events are `rows`; `to` gives the number of each of its instances here.
    /// Counts the events of each instance, and those of which it is not known whose they are.
    pub fn take(
        &mut self,
        rows: Range<usize>,
        found: &Found,
        to: &[u32],
        sizes: &mut [u32],
        undecided: &mut u64,
    ) {
        let number = |at: u32| N::try_from(at).unwrap_or_default();
        let of_row = &mut self.of_event[rows];
        let several = &mut self.several;
        found.each(of_row.len(), |row, list| {
            if let [one] = list {
                let at = to[*one as usize];
                match sizes.get_mut(at as usize) {
                    Some(size) => {
                        *size += 1;
                        of_row[row] = number(at + 1);
                    }
                    None => *undecided += 1,
                }
                return;
            }
            let all = list.iter().map(|one| to[*one as usize]);
            let all: Box<[u32]> = all.filter(|at| *at != NOBODY).collect();
            *undecided += u64::from(all.len() < list.len());
            all.iter().for_each(|at| sizes[*at as usize] += 1);
            match &all[..] {
                [] => {}
                [one] => of_row[row] = number(one + 1),
                _ => {
                    several.push(all);
                    of_row[row] = number((sizes.len() + several.len()) as u32);
                }
            }
        });
    }

    /// The events of each instance in time order, where they begin by instance, and the instances in the order of their
    /// first event.
    pub fn walk(self, snapshot: &Snapshot, sizes: &[u32]) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
        let total: u32 = sizes.iter().sum();
        // What is nobody's goes behind all, again and again to the same place: no branch that nobody can foresee.
        let mut cursors = vec![Cursor {
            next: total,
            start: u32::MAX,
        }];
        let mut starts: Vec<u32> = Vec::with_capacity(sizes.len());
        let mut next = 0;
        for size in sizes {
            starts.push(next);
            let start = next;
            cursors.push(Cursor { next, start });
            next += size;
        }
        let mut events = vec![0; total as usize + 1];
        let mut order = Vec::with_capacity(sizes.len());
        let mut put = |at: usize, event: u32| {
            let cursor = &mut cursors[at];
            events[cursor.next as usize] = event;
            if cursor.next == cursor.start {
                order.push(at as u32 - 1);
            }
            cursor.next += u32::from(at != 0);
        };
        for slice in snapshot.order.slices() {
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
        (events, starts, order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Walk = (Vec<u32>, Vec<u32>, Vec<u32>);

    /// The walk over events that are about these instances, in this order.
    fn walk<N: Number>(events: &[Vec<u32>], order: &[u32], sizes: &[u32]) -> Walk {
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
        let snapshot = Snapshot {
            order: order.to_vec().into(),
            ..Snapshot::default()
        };
        Whose { of_event, several }.walk(&snapshot, sizes)
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
            let mut first: Vec<u32> = Vec::new();
            for event in &order {
                for at in &events[*event as usize] {
                    want[*at as usize].push(*event);
                    if !first.contains(at) {
                        first.push(*at);
                    }
                }
            }
            let sizes: Vec<u32> = want.iter().map(|w| w.len() as u32).collect();
            let (all, starts, ranked) = walk::<u8>(&events, &order, &sizes);
            prop_assert_eq!(&ranked, &first);
            for (at, want) in want.iter().enumerate() {
                let start = starts[at] as usize;
                prop_assert_eq!(&all[start..start + want.len()], &want[..]);
            }
            prop_assert_eq!(all.len(), want.concat().len());
            let small = (all, starts, ranked);
            prop_assert_eq!(&walk::<u16>(&events, &order, &sizes), &small);
            prop_assert_eq!(&walk::<u32>(&events, &order, &sizes), &small);
        }
    }
}
