//! Histograms of records over time that support insertion and removal, finer than any screen.

use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_core::level::Level;
use widetui_store::Snapshot;
use widetui_store::segment::Segment;
use widetui_time::time::NO_TIME;

use super::rows::Rows;

/// Maximum number of bins; the bin width doubles when there would be more.
const BINS: usize = 4096;

/// Counts of all records, warnings and errors.
type Counts = [u32; 3];

/// Counts of records by time and level. A bin is `2^bits` ns wide.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Histogram {
    bits: u32,
    /// Number of the first bin.
    first: i64,
    bins: Vec<Counts>,
    /// Warnings and errors without a time.
    pub(super) untimed: [u32; 2],
}

impl Histogram {
    /// Computes the histogram of the displayed rows. `None` if cancelled.
    pub fn compute(snapshot: &Snapshot, rows: &Rows, cancel: &Cancel) -> Option<Histogram> {
        let mut out = Histogram::default();
        each_time(snapshot, rows, cancel, |time, level| {
            out.change(time, level, |n| *n = n.saturating_add(1));
        })?;
        Some(out)
    }

    /// Adds a record.
    pub(crate) fn add(&mut self, snapshot: &Snapshot, id: u32) {
        if let Some(event) = snapshot.event(EventId(id)) {
            self.change(event.time(), event.level(), |n| *n = n.saturating_add(1));
        }
    }

    /// Removes a record that was added.
    pub(crate) fn take(&mut self, snapshot: &Snapshot, id: u32) {
        if let Some(event) = snapshot.event(EventId(id)) {
            self.change(event.time(), event.level(), |n| *n = n.saturating_sub(1));
        }
    }

    fn change(&mut self, time: Option<i64>, level: Level, f: impl Fn(&mut u32)) {
        let problem = problem_of(level);
        let Some(time) = time else {
            return problem.into_iter().for_each(|at| f(&mut self.untimed[at]));
        };
        if self.bins.is_empty() {
            self.first = time >> self.bits;
        }
        loop {
            let bin = time >> self.bits;
            let last = self.first + self.bins.len() as i64 - 1;
            let (low, high) = (bin.min(self.first), bin.max(last));
            if high.saturating_sub(low) < BINS as i64 {
                if low < self.first {
                    let more = (self.first - low) as usize;
                    self.bins.splice(..0, std::iter::repeat_n([0; 3], more));
                    self.first = low;
                }
                let at = (bin - self.first) as usize;
                if at >= self.bins.len() {
                    self.bins.resize(at + 1, [0; 3]);
                }
                f(&mut self.bins[at][0]);
                return problem
                    .into_iter()
                    .for_each(|of| f(&mut self.bins[at][1 + of]));
            }
            self.widen();
        }
    }

    /// Doubles the bin width.
    fn widen(&mut self) {
        let first = self.first >> 1;
        let mut bins: Vec<Counts> = Vec::with_capacity(self.bins.len() / 2 + 1);
        for (bin, counts) in (self.first..).zip(&self.bins) {
            let at = ((bin >> 1) - first) as usize;
            if at >= bins.len() {
                bins.resize(at + 1, [0; 3]);
            }
            for (sum, n) in bins[at].iter_mut().zip(counts) {
                *sum = sum.saturating_add(*n);
            }
        }
        self.bits += 1;
        self.first = first;
        self.bins = bins;
    }

    pub(super) fn each(&self, mut f: impl FnMut(i64, Counts)) {
        let half = (1i64 << self.bits) / 2;
        for (bin, counts) in (self.first..).zip(&self.bins) {
            f((bin << self.bits).saturating_add(half), *counts);
        }
    }
}

/// Histograms of the displayed rows and of all records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histograms {
    /// Displayed rows.
    pub(crate) rows: Histogram,
    /// All records; `None` if the rows are all records.
    pub(crate) all: Option<Histogram>,
}

impl Histograms {
    /// Computes the histograms for some rows. `None` if cancelled.
    pub fn compute(snapshot: &Snapshot, rows: &Rows, cancel: &Cancel) -> Option<Histograms> {
        Some(Histograms {
            rows: Histogram::compute(snapshot, rows, cancel)?,
            all: match rows {
                Rows::All => None,
                _ => Some(Histogram::compute(snapshot, &Rows::All, cancel)?),
            },
        })
    }
}

/// Index of a level among `[warnings, errors]`; `None` for any lower one.
pub(super) fn problem_of(level: Level) -> Option<usize> {
    match level {
        Level::Warning => Some(0),
        Level::Error | Level::Critical => Some(1),
        _ => None,
    }
}

/// Calls `count` with the time (UTC ns), if it has one, and level of each row. `None` if cancelled.
fn each_time(
    snapshot: &Snapshot,
    rows: &Rows,
    cancel: &Cancel,
    mut count: impl FnMut(Option<i64>, Level),
) -> Option<()> {
    match rows.own().listed() {
        // Iterates by segment, so that only the time is looked up per record.
        None => {
            for segment in snapshot.segments.iter() {
                if cancel.is_cancelled() {
                    return None;
                }
                let levels = levels(snapshot, segment);
                for part in &segment.parts {
                    let source = &snapshot.sources[part.source.index()];
                    let first = part.first_row as usize;
                    for (row, level) in (first..first + part.rows as usize).zip(&levels[first..]) {
                        let time = segment.utc(source, row);
                        count((time != NO_TIME).then_some(time), *level);
                    }
                }
            }
        }
        Some(ids) => {
            for chunk in ids.slices() {
                if cancel.is_cancelled() {
                    return None;
                }
                for event in chunk.iter().filter_map(|id| snapshot.event(EventId(*id))) {
                    count(event.time(), event.level());
                }
            }
        }
    }
    Some(())
}

/// Level of each row; lower levels than a warning are not distinguished.
pub(super) fn levels(snapshot: &Snapshot, segment: &Segment) -> Vec<Level> {
    let mut levels = vec![Level::Unknown; segment.len()];
    for group in &segment.groups {
        let shape = snapshot.catalog.shapes.get(group.shape.index());
        let level = shape.map_or(Level::Unknown, |s| s.level);
        if level >= Level::Warning {
            let rows = group.rows.iter();
            rows.for_each(|r| levels[usize::from(*r)] = level);
        }
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overview::OverviewHistogram;
    use proptest::prelude::*;

    proptest! {
        /// In any order of insertion, no record is lost, and each is counted near its time.
        #[test]
        fn nothing_is_lost(times in prop::collection::vec((0i64..10_000_000_000_000, any::<bool>()), 1..60)) {
            let mut histogram = Histogram::default();
            for (time, is_error) in &times {
                let level = if *is_error { Level::Error } else { Level::Info };
                histogram.change(Some(*time), level, |n| *n += 1);
            }
            histogram.change(None, Level::Critical, |n| *n += 1);
            prop_assert!(histogram.bins.len() <= BINS);
            let (from, to) = (times.iter().map(|t| t.0).min().unwrap_or(0), times.iter().map(|t| t.0).max().unwrap_or(0));
            let strip = OverviewHistogram::from_histograms(Histograms { rows: histogram, all: None }, Some((from, to)), 10);
            prop_assert_eq!(strip.untimed, [0, 1]);
            prop_assert_eq!(strip.events.iter().sum::<u32>() as usize, times.len());
            prop_assert_eq!(strip.errors.iter().sum::<u32>() as usize, times.iter().filter(|t| t.1).count());
            for bin in 0..10 {
                let near = times.iter().any(|(t, _)| strip.bin_of(*t).abs_diff(bin) <= 1);
                prop_assert!(strip.events[bin] == 0 || near);
            }
        }
    }
}
