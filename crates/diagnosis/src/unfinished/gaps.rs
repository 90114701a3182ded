//! Gaps between the records of one writer.

/// Minimum number of records of a writer for a silence.
pub(crate) const RECORDS: u64 = 20;
/// Minimum length of a silence, ns.
pub(crate) const GAP: i64 = 10_000_000_000;
/// Minimum ratio of a silence to the usual gap.
const TIMES: i64 = 5;
/// Longest gap that cannot make a silence longer than `GAP` and is not stored, ns.
const SHORT: i64 = GAP / TIMES;

/// Records of one writer in the order of writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Track {
    /// Number of records.
    pub(crate) records: u64,
    /// Time of the first record, UTC ns.
    pub(crate) first: i64,
    /// The latest time, UTC ns.
    pub(crate) last: i64,
    /// Event with that time.
    pub(crate) last_event: u32,
    /// Gaps longer than `SHORT`, ns.
    long: Vec<i64>,
}

impl Track {
    /// Track of a single record.
    pub(crate) fn new(time: i64, event: u32) -> Track {
        Track {
            records: 1,
            first: time,
            last: time,
            last_event: event,
            long: Vec::new(),
        }
    }

    /// Adds the next record.
    #[inline]
    pub(crate) fn add(&mut self, time: i64, event: u32) {
        self.records += 1;
        let gap = time.saturating_sub(self.last);
        if gap >= 0 {
            self.last = time;
            self.last_event = event;
            if gap > SHORT {
                self.long.push(gap);
            }
        }
    }

    /// Appends a later part of the same writer.
    pub(crate) fn append(&mut self, later: &Track) {
        let gap = later.first.saturating_sub(self.last);
        if gap > SHORT {
            self.long.push(gap);
        }
        self.long.extend_from_slice(&later.long);
        self.records += later.records;
        self.first = self.first.min(later.first);
        if later.last >= self.last {
            self.last = later.last;
            self.last_event = later.last_event;
        }
    }

    /// 99th percentile of the gaps, ns; gaps up to `SHORT` are not distinguished.
    pub(crate) fn usual_gap(&self) -> i64 {
        let gaps = self.records.saturating_sub(1);
        // The rank of the percentile, counted from the longest gap.
        let from_top = (gaps / 100) as usize;
        let mut long = self.long.clone();
        if long.len() <= from_top {
            return SHORT;
        }
        let at = long.len() - 1 - from_top;
        *long.select_nth_unstable(at).1
    }

    /// Whether the writer fell silent before `end`, UTC ns.
    pub(crate) fn is_silent(&self, end: i64) -> bool {
        let gap = end.saturating_sub(self.last);
        self.records >= RECORDS && gap > GAP && gap > self.usual_gap().saturating_mul(TIMES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const S: i64 = 1_000_000_000;

    fn track(times: &[i64]) -> Track {
        let mut track = Track::new(times[0], 0);
        for (n, time) in times.iter().enumerate().skip(1) {
            track.add(*time, n as u32);
        }
        track
    }

    #[test]
    fn who_wrote_every_second_is_silent_after_ten() {
        let times: Vec<i64> = (0..30).map(|n| n * S).collect();
        let track = track(&times);
        assert!(!track.is_silent(29 * S + GAP));
        assert!(track.is_silent(29 * S + GAP + 1));
        assert!(!super::Track::new(0, 0).is_silent(100 * S));
    }

    #[test]
    fn who_wrote_every_minute_is_silent_after_five() {
        let times: Vec<i64> = (0..30).map(|n| n * 60 * S).collect();
        let track = track(&times);
        assert_eq!(track.usual_gap(), 60 * S);
        assert!(!track.is_silent(29 * 60 * S + 299 * S));
        assert!(track.is_silent(29 * 60 * S + 301 * S));
    }

    proptest! {
        #[test]
        fn parts_give_what_the_whole_gives(gaps in prop::collection::vec(0i64..9 * S, 1..200), cut in 0usize..200) {
            let mut at = 0;
            let times: Vec<i64> = gaps.iter().map(|g| { at += g; at }).collect();
            let cut = cut % times.len();
            let whole = track(&times);
            if cut > 0 {
                let mut first = track(&times[..cut]);
                first.append(&track(&times[cut..]));
                prop_assert_eq!(first.records, whole.records);
                prop_assert_eq!(first.last, whole.last);
                prop_assert_eq!(first.usual_gap(), whole.usual_gap());
            }
        }
    }
}
