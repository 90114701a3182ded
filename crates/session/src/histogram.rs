//! Counts of records over time that records can be added to and taken from, finer than any screen.

use std::sync::Arc;

use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_core::level::Level;
use widetui_store::Snapshot;

use super::ask::Rows;
use super::strip::{Strip, each_time};

/// Bins at most; they get twice as wide when there would be more.
const BINS: usize = 4096;

/// Counts of all records, of warnings, of errors.
type Counts = [u32; 3];

/// Counts of records by time and level. A bin is `2^bits` ns wide.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    bits: u32,
    /// Number of the first bin.
    first: i64,
    bins: Vec<Counts>,
}

impl Histogram {
    /// Of the rows shown. `None` when cancelled.
    pub fn of(snapshot: &Snapshot, rows: &Rows, cancel: &Cancel) -> Option<Histogram> {
        let mut out = Histogram::default();
        each_time(snapshot, rows, cancel, |time, level| {
            out.change(time, level, |n| *n = n.saturating_add(1));
        })?;
        Some(out)
    }

    /// Adds an event.
    pub fn add(&mut self, snapshot: &Snapshot, id: u32) {
        if let Some((time, level)) = timed(snapshot, id) {
            self.change(time, level, |n| *n = n.saturating_add(1));
        }
    }

    /// Takes away an event that was added.
    pub fn take(&mut self, snapshot: &Snapshot, id: u32) {
        if let Some((time, level)) = timed(snapshot, id) {
            self.change(time, level, |n| *n = n.saturating_sub(1));
        }
    }

    fn change(&mut self, time: i64, level: Level, f: impl Fn(&mut u32)) {
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
                match level {
                    Level::Warning => f(&mut self.bins[at][1]),
                    Level::Error | Level::Critical => f(&mut self.bins[at][2]),
                    _ => {}
                }
                return;
            }
            self.widen();
        }
    }

    /// Makes bins twice as wide.
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

    fn each(&self, mut f: impl FnMut(i64, Counts)) {
        let half = (1i64 << self.bits) / 2;
        for (bin, counts) in (self.first..).zip(&self.bins) {
            f((bin << self.bits).saturating_add(half), *counts);
        }
    }
}

/// Of the rows that are shown, and of all records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histograms {
    /// Of the rows.
    pub rows: Histogram,
    /// Of all records; `None` where the rows are all.
    pub all: Option<Histogram>,
}

impl Histograms {
    /// Of these rows. `None` when cancelled.
    pub fn of(snapshot: &Snapshot, rows: &Rows, cancel: &Cancel) -> Option<Histograms> {
        Some(Histograms {
            rows: Histogram::of(snapshot, rows, cancel)?,
            all: match rows {
                Rows::All => None,
                _ => Some(Histogram::of(snapshot, &Rows::All, cancel)?),
            },
        })
    }

    /// As it is shown, in so many stretches of the whole run's time.
    pub fn strip(self, range: Option<(i64, i64)>, stretches: usize) -> Strip {
        let mut out = Strip::empty(range.unwrap_or_default(), stretches);
        if stretches > 0 && range.is_some() {
            self.rows.each(|time, [events, warnings, errors]| {
                let at = out.bin_of(time);
                out.events[at] += events;
                out.warnings[at] += warnings;
                out.errors[at] += errors;
            });
            out.all = match &self.all {
                None => out.events.clone(),
                Some(all) => {
                    let mut counts = vec![0; stretches];
                    all.each(|time, [events, ..]| counts[out.bin_of(time)] += events);
                    counts
                }
            };
        }
        out.histograms = Some(Arc::new(self));
        out
    }
}

fn timed(snapshot: &Snapshot, id: u32) -> Option<(i64, Level)> {
    let event = snapshot.event(EventId(id))?;
    Some((event.time()?, event.level()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever comes in which order: no record is lost, and each is near its time.
        #[test]
        fn nothing_is_lost(times in prop::collection::vec((0i64..10_000_000_000_000, any::<bool>()), 1..60)) {
            let mut histogram = Histogram::default();
            for (time, is_error) in &times {
                let level = if *is_error { Level::Error } else { Level::Info };
                histogram.change(*time, level, |n| *n += 1);
            }
            prop_assert!(histogram.bins.len() <= BINS);
            let (from, to) = (times.iter().map(|t| t.0).min().unwrap_or(0), times.iter().map(|t| t.0).max().unwrap_or(0));
            let strip = Histograms { rows: histogram, all: None }.strip(Some((from, to)), 10);
            prop_assert_eq!(strip.events.iter().sum::<u32>() as usize, times.len());
            prop_assert_eq!(strip.errors.iter().sum::<u32>() as usize, times.iter().filter(|t| t.1).count());
            for bin in 0..10 {
                let near = times.iter().any(|(t, _)| strip.bin_of(*t).abs_diff(bin) <= 1);
                prop_assert!(strip.events[bin] == 0 || near);
            }
        }
    }
}
