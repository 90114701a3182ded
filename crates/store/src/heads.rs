//! Priority queue of the next rows of the runs in a merge.

/// Next row of a run. Heads are ordered by time, then by the order of sources. A head is one integer, because most work
/// of a merge is comparing heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Head(u128);

/// Sign bit: flipping it maps the order of signed integers to the order of unsigned ones.
const SIGN: u64 = 1 << 63;

impl Head {
    /// Head of a run: its time (UTC ns), the number of the run among all, and the slot of its rows.
    #[inline]
    pub(crate) fn new(time: i64, run: u32, slot: u32) -> Head {
        let time = time as u64 ^ SIGN;
        Head(u128::from(time) << 64 | u128::from(run) << 32 | u128::from(slot))
    }

    /// Time, UTC ns.
    #[inline]
    pub(crate) fn time(self) -> i64 {
        ((self.0 >> 64) as u64 ^ SIGN) as i64
    }

    /// Number of the run among all runs.
    #[inline]
    pub(crate) fn run(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// Slot of the run's rows.
    #[inline]
    pub(crate) fn slot(self) -> usize {
        self.0 as u32 as usize
    }
}

/// Binary heap of heads that also gives the second smallest head, the limit up to which rows of the first run may be
/// taken.
///
/// The first head is replaced in place: a run that had the last row mostly has one of the next, so its new head stays
/// near the top. The heap of the standard library would sift it to the bottom and up again.
#[derive(Debug, Default)]
pub(crate) struct Heads {
    heap: Vec<Head>,
}

impl Heads {
    /// Smallest head.
    #[inline]
    pub(crate) fn first(&self) -> Option<Head> {
        self.heap.first().copied()
    }

    /// Second smallest head.
    #[inline]
    pub(crate) fn second(&self) -> Option<Head> {
        match (self.heap.get(1), self.heap.get(2)) {
            (Some(a), Some(b)) => Some(*a.min(b)),
            (a, _) => a.copied(),
        }
    }

    /// Adds a head.
    pub(crate) fn push(&mut self, head: Head) {
        let mut at = self.heap.len();
        self.heap.push(head);
        while at > 0 {
            let above = (at - 1) / 2;
            if self.heap[above] <= head {
                break;
            }
            self.heap[at] = self.heap[above];
            at = above;
        }
        self.heap[at] = head;
    }

    /// Replaces the smallest head.
    #[inline]
    pub(crate) fn replace_first(&mut self, head: Head) {
        let mut at = 0;
        while let Some(&left) = self.heap.get(2 * at + 1) {
            let (below, smaller) = match self.heap.get(2 * at + 2) {
                Some(&right) if right < left => (2 * at + 2, right),
                _ => (2 * at + 1, left),
            };
            if head <= smaller {
                break;
            }
            self.heap[at] = smaller;
            at = below;
        }
        if let Some(place) = self.heap.get_mut(at) {
            *place = head;
        }
    }

    /// Removes the smallest head.
    pub(crate) fn remove_first(&mut self) {
        if let Some(last) = self.heap.pop() {
            self.replace_first(last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn head((time, run): (i64, u32)) -> Head {
        Head::new(time, run, 7)
    }

    #[test]
    fn heads_are_ordered_by_time_then_by_run() {
        let times = [i64::MIN, -5, -1, 0, 1, i64::MAX];
        let all = times.map(|time| [0, 1, u32::MAX].map(|run| Head::new(time, run, 3)));
        assert!(all.as_flattened().is_sorted());
        let all = all.as_flattened().iter();
        let again: Vec<(i64, u32, usize)> = all.map(|h| (h.time(), h.run(), h.slot())).collect();
        assert_eq!(again[1], (i64::MIN, 1, 3));
        assert_eq!(again[5], (-5, u32::MAX, 3));
        assert_eq!(again[17], (i64::MAX, u32::MAX, 3));
    }

    proptest! {
        #[test]
        fn first_and_second_equal_those_of_a_sorted_list(
            begin in proptest::collection::vec((0i64..9, 0u32..9), 0..12),
            steps in proptest::collection::vec((0u8..3, 0i64..12, 0u32..9), 0..60),
        ) {
            let mut heads = Heads::default();
            let mut sorted: Vec<Head> = begin.into_iter().map(head).collect();
            sorted.iter().for_each(|h| heads.push(*h));
            sorted.sort();
            for (what, time, run) in steps {
                let new = head((time, run));
                match what {
                    0 => heads.push(new),
                    1 if !sorted.is_empty() => heads.replace_first(new),
                    _ => heads.remove_first(),
                }
                if what > 0 && !sorted.is_empty() {
                    sorted.remove(0);
                    sorted.extend((what == 1).then_some(new));
                } else if what == 0 {
                    sorted.push(new);
                }
                sorted.sort();
                prop_assert_eq!(heads.first(), sorted.first().copied());
                prop_assert_eq!(heads.second(), sorted.get(1).copied());
            }
        }
    }
}
