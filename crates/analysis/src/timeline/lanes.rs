//! Lanes for overlapping bars.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Assigns a lane to each interval and returns the number of lanes. Intervals must be ordered by
/// start; each takes the lowest free lane. At one time an end precedes a start.
pub fn pack_lanes(intervals: impl Iterator<Item = (i64, i64)>) -> (Vec<u32>, u32) {
    let mut busy: BinaryHeap<Reverse<(i64, u32)>> = BinaryHeap::new();
    let mut free: BTreeSet<u32> = BTreeSet::new();
    let mut lanes = 0;
    let mut out = Vec::new();
    for (start, end) in intervals {
        while let Some(Reverse((until, lane))) = busy.peek().copied() {
            if until > start {
                break;
            }
            busy.pop();
            free.insert(lane);
        }
        let lane = free.pop_first().unwrap_or_else(|| {
            lanes += 1;
            lanes - 1
        });
        busy.push(Reverse((end, lane)));
        out.push(lane);
    }
    (out, lanes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lanes_are_as_few_as_overlap_allows(mut intervals in proptest::collection::vec((0i64..50, 1i64..20), 0..40)) {
            intervals.sort_unstable();
            let intervals: Vec<(i64, i64)> = intervals.into_iter().map(|(s, l)| (s, s + l)).collect();
            let (lanes, number) = pack_lanes(intervals.iter().copied());
            let at = |t: i64| intervals.iter().filter(|(s, e)| *s <= t && t < *e).count() as u32;
            prop_assert_eq!(number, (0..80).map(at).max().unwrap_or(0));
            for (i, a) in intervals.iter().enumerate() {
                for (j, b) in intervals.iter().enumerate().skip(i + 1) {
                    prop_assert!(lanes[i] != lanes[j] || a.1 <= b.0, "{:?} {:?}", a, b);
                }
            }
        }
    }
}
