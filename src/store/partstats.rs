//! Counts of records: of a part, of a source.

use crate::base::level::Level;
use crate::base::time::NO_TIME;

/// Counts of one part's records, for its source.
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

    /// Counts one record.
    #[inline]
    pub fn count(&mut self, level: Level, time: i64) {
        self.levels[level as usize] += 1;
        if time == NO_TIME {
            self.timeless += 1;
            return;
        }
        self.first.get_or_insert(time);
        self.last = Some(time);
        self.range = match self.range {
            Some((a, b)) => Some((a.min(time), b.max(time))),
            None => Some((time, time)),
        };
    }
}
