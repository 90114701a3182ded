//! Record counts of a part or a source.

use widetui_core::level::Level;
use widetui_time::time::NO_TIME;

/// Counts of one part's records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartStats {
    /// Records by level.
    pub levels: [u64; 8],
    /// Time of the first record that has one, as read.
    pub first: Option<i64>,
    /// Time of the last record that has one, as read.
    pub last: Option<i64>,
    /// Smallest and greatest time, as read.
    pub range: Option<(i64, i64)>,
    /// Records without a time.
    pub timeless: u64,
}

impl PartStats {
    /// Adds a later part of the same source.
    pub fn add(&mut self, other: &PartStats) {
        for (a, b) in self.levels.iter_mut().zip(other.levels) {
            *a += b;
        }
        self.first = self.first.or(other.first);
        self.last = other.last.or(self.last);
        self.range = match (self.range, other.range) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        };
        self.timeless += other.timeless;
    }

    /// Number of records.
    pub fn records(&self) -> u64 {
        self.levels.iter().sum()
    }

    /// Counts one record by its level.
    #[inline]
    pub(crate) fn count(&mut self, level: Level) {
        self.levels[level as usize] += 1;
    }

    /// Counts the times of further records, in the order of their source.
    pub(crate) fn count_times(&mut self, times: &[i64]) {
        let known = times.iter().copied().filter(|time| *time != NO_TIME);
        let mut ends = known.clone();
        let (Some(first), last) = (ends.next(), ends.next_back()) else {
            self.timeless += times.len() as u64;
            return;
        };
        let start = (0, first, first);
        let (count, min, max) = known.fold(start, |(count, min, max), time| {
            (count + 1, time.min(min), time.max(max))
        });
        self.add(&PartStats {
            first: Some(first),
            last: last.or(Some(first)),
            range: Some((min, max)),
            timeless: times.len() as u64 - count,
            ..PartStats::default()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn times_may_be_counted_in_any_stretches(
            times in proptest::collection::vec(prop_oneof![Just(NO_TIME), -9i64..9], 0..12),
            cut in 0usize..12,
        ) {
            let (head, tail) = times.split_at(cut.min(times.len()));
            let mut stats = PartStats::default();
            stats.count_times(head);
            stats.count_times(tail);
            let known = || times.iter().copied().filter(|time| *time != NO_TIME);
            prop_assert_eq!(stats.first, known().next());
            prop_assert_eq!(stats.last, known().next_back());
            prop_assert_eq!(stats.range, known().min().zip(known().max()));
            prop_assert_eq!(stats.timeless as usize, times.len() - known().count());
        }
    }
}
