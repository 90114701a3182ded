//! Counts over time: the run divided into bins of equal length.

use widetui_store::Snapshot;
use widetui_store::segment::Segment;
use widetui_time::time::NO_TIME;

/// Number of bins of a run.
pub(crate) const BINS: usize = 60;

/// Marks a row without time in a list of bin numbers.
const NO_BIN: u8 = u8::MAX;

/// Counts per bin of the whole run.
pub(crate) type BinCounts = [u32; BINS];

/// Times of a segment's rows, UTC ns, and their bins.
#[derive(Debug)]
pub(super) struct RowTimes {
    times: Vec<i64>,
    stretches: Vec<u8>,
}

impl RowTimes {
    /// Computes the times and bins of a segment, with the bins dividing `range`; times outside it are in the first or
    /// last bin.
    pub fn read(snapshot: &Snapshot, segment: &Segment, range: (i64, i64)) -> RowTimes {
        let span = (range.1 as f64 - range.0 as f64).max(1.0);
        let scale = BINS as f64 / span;
        let mut times = vec![NO_TIME; segment.len()];
        let mut stretches = vec![NO_BIN; segment.len()];
        for part in &segment.parts {
            let Some(source) = snapshot.source(part.source) else {
                continue;
            };
            let first = part.first_row as usize;
            for row in first..first + part.rows as usize {
                let time = segment.utc(source, row);
                if time != NO_TIME {
                    times[row] = time;
                    let at = (time as f64 - range.0 as f64) * scale;
                    stretches[row] = (at.max(0.0) as usize).min(BINS - 1) as u8;
                }
            }
        }
        RowTimes { times, stretches }
    }

    /// Bin of a row; `None` without a time.
    #[inline]
    pub(crate) fn bin(&self, row: usize) -> Option<usize> {
        let bin = self.stretches.get(row).copied().unwrap_or(NO_BIN);
        (bin != NO_BIN).then_some(usize::from(bin))
    }

    /// Time of a row, or `NO_TIME`.
    #[inline]
    pub(crate) fn time(&self, row: usize) -> i64 {
        self.times.get(row).copied().unwrap_or(NO_TIME)
    }
}

/// Count of records, their first and last time, and their distribution over the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventHistogram {
    /// Number of records.
    pub events: u64,
    /// Earliest time, UTC ns.
    pub first: Option<i64>,
    /// Latest time, UTC ns.
    pub last: Option<i64>,
    /// Records per bin of the whole run.
    pub over_time: Box<BinCounts>,
}

impl Default for EventHistogram {
    fn default() -> Self {
        EventHistogram {
            events: 0,
            first: None,
            last: None,
            over_time: Box::new([0; BINS]),
        }
    }
}

impl EventHistogram {
    /// Counts a row.
    #[inline]
    pub(super) fn count(&mut self, row_times: &RowTimes, row: usize) {
        self.events += 1;
        if let Some(bin) = row_times.bin(row) {
            self.over_time[bin] += 1;
            let time = row_times.time(row);
            self.first = Some(self.first.map_or(time, |t| t.min(time)));
            self.last = Some(self.last.map_or(time, |t| t.max(time)));
        }
    }

    /// Adds another histogram.
    pub(super) fn add(&mut self, other: &EventHistogram) {
        self.events += other.events;
        for (a, b) in self.over_time.iter_mut().zip(other.over_time.iter()) {
            *a += b;
        }
        let both = |a: Option<i64>, b: Option<i64>, f: fn(i64, i64) -> i64| match (a, b) {
            (Some(a), Some(b)) => Some(f(a, b)),
            (a, b) => a.or(b),
        };
        self.first = both(self.first, other.first, i64::min);
        self.last = both(self.last, other.last, i64::max);
    }
}
