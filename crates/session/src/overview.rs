//! Histogram of records over time: counts per bin of all records and of the selected ones.

use std::sync::Arc;

use rayon::prelude::*;

use widetui_core::cancel::Cancel;
use widetui_core::ids::EventId;
use widetui_core::level::Level;
use widetui_query::Selection;
use widetui_store::Snapshot;
use widetui_time::time::NO_TIME;
use widetui_time::timescale::part_start;

use super::histogram::{Histograms, levels, problem_of};
use super::rows::Rows;

/// Parameters of a histogram.
#[derive(Clone, Debug, Default)]
pub struct OverviewRequest {
    /// Rows to count.
    pub rows: Rows,
    /// Number of bins.
    pub bins: usize,
    /// Time range, UTC ns, both ends included; `None` for that of the whole run.
    pub range: Option<(i64, i64)>,
    /// Records counted separately if they are among the rows.
    pub marked: Option<Arc<Selection>>,
}

/// Histogram of records over time, with bins of equal length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OverviewHistogram {
    /// First and last time, UTC ns.
    pub range: (i64, i64),
    /// All records per bin, selected or not, with duplicates.
    pub all: Vec<u32>,
    /// Selected records per bin.
    pub events: Vec<u32>,
    /// Warnings among the selected records.
    pub warnings: Vec<u32>,
    /// Errors and worse among the selected records.
    pub errors: Vec<u32>,
    /// Marked records among the selected ones.
    pub marked: Vec<u32>,
    /// Warnings and errors without a time among the selected records; none in a part of the run.
    pub untimed: [u32; 2],
    /// Fine histograms from which it was made, for a live run.
    pub histograms: Option<Arc<Histograms>>,
}

impl OverviewHistogram {
    pub(super) fn empty(range: (i64, i64), bins: usize) -> OverviewHistogram {
        OverviewHistogram {
            range,
            all: Vec::new(),
            events: vec![0; bins],
            warnings: vec![0; bins],
            errors: vec![0; bins],
            marked: vec![0; bins],
            untimed: [0; 2],
            histograms: None,
        }
    }

    /// Distributes fine histograms over `bins` equal bins of `range` (UTC ns), the time range of the whole run.
    pub(crate) fn from_histograms(
        histograms: Histograms,
        range: Option<(i64, i64)>,
        bins: usize,
    ) -> OverviewHistogram {
        let mut out = OverviewHistogram::empty(range.unwrap_or_default(), bins);
        if bins > 0 && range.is_some() {
            histograms.rows.each(|time, [events, warnings, errors]| {
                let at = out.bin_of(time);
                out.events[at] += events;
                out.warnings[at] += warnings;
                out.errors[at] += errors;
            });
            out.all = match &histograms.all {
                None => out.events.clone(),
                Some(all) => {
                    let mut counts = vec![0; bins];
                    all.each(|time, [events, ..]| counts[out.bin_of(time)] += events);
                    counts
                }
            };
        }
        out.untimed = histograms.rows.untimed;
        out.histograms = Some(Arc::new(histograms));
        out
    }

    /// Bin of a time; the first or last bin for times outside the range.
    pub fn bin_of(&self, time: i64) -> usize {
        Scale::new(self.range, self.events.len()).bin(time)
    }

    /// Whether a time is in the displayed range.
    pub fn shows(&self, time: i64) -> bool {
        self.range.0 <= time && time <= self.range.1
    }

    /// Start time of a bin.
    pub fn time_of(&self, bin: usize) -> i64 {
        part_start(self.range, bin as u128, self.events.len() as u128)
    }

    /// Last time in a bin.
    pub fn end_of(&self, bin: usize) -> i64 {
        if bin + 1 >= self.events.len() {
            return self.range.1;
        }
        let end = self.time_of(bin + 1).saturating_sub(1);
        end.max(self.time_of(bin))
    }

    fn add(mut self, other: OverviewHistogram) -> OverviewHistogram {
        let pairs: [(&mut [u32], &[u32]); 5] = [
            (&mut self.events, &other.events),
            (&mut self.warnings, &other.warnings),
            (&mut self.errors, &other.errors),
            (&mut self.marked, &other.marked),
            (&mut self.untimed, &other.untimed),
        ];
        for (mine, others) in pairs {
            mine.iter_mut().zip(others).for_each(|(a, b)| *a += b);
        }
        self
    }

    /// Counts a record at a time, UTC ns, unless the scale does not show it.
    fn count(&mut self, scale: Scale, time: Option<i64>, level: Level, is_marked: bool) {
        let bin = match time {
            Some(time) if scale.shows(time) => scale.bin(time),
            None if scale.is_whole => {
                let problem = problem_of(level);
                return problem.into_iter().for_each(|at| self.untimed[at] += 1);
            }
            _ => return,
        };
        self.events[bin] += 1;
        self.marked[bin] += u32::from(is_marked);
        match problem_of(level) {
            Some(0) => self.warnings[bin] += 1,
            Some(_) => self.errors[bin] += 1,
            None => {}
        }
    }
}

/// Maps times to bins. Uses 64-bit division where possible, as 128-bit division would dominate the cost.
#[derive(Clone, Copy)]
struct Scale {
    from: i64,
    to: i64,
    span: u64,
    bins: u64,
    /// True for the time range of the whole run.
    is_whole: bool,
}

impl Scale {
    fn new((from, to): (i64, i64), bins: usize) -> Scale {
        Scale {
            from,
            to,
            span: to.abs_diff(from).max(1),
            bins: bins as u64,
            is_whole: false,
        }
    }

    fn bin(self, time: i64) -> usize {
        let at = time
            .clamp(self.from, self.to.max(self.from))
            .abs_diff(self.from);
        let bin = match at.checked_mul(self.bins) {
            Some(product) => product / self.span,
            None => (u128::from(at) * u128::from(self.bins) / u128::from(self.span)) as u64,
        };
        (bin as usize).min((self.bins as usize).saturating_sub(1))
    }

    fn shows(self, time: i64) -> bool {
        self.from <= time && time <= self.to
    }
}

/// Computes the histogram; `None` if cancelled.
pub fn overview_histogram(
    snapshot: &Snapshot,
    wish: &OverviewRequest,
    cancel: &Cancel,
) -> Option<OverviewHistogram> {
    let bins = wish.bins;
    let range = wish.range.or(snapshot.range()).unwrap_or_default();
    if bins == 0 || snapshot.range().is_none() {
        return Some(OverviewHistogram::empty(range, bins));
    }
    let scale = Scale {
        is_whole: wish.range.is_none(),
        ..Scale::new(range, bins)
    };
    let marked = wish.marked.as_deref();
    let ids = wish.rows.own().listed();
    let everything = every(snapshot, scale, ids.map_or(marked, |_| None), cancel)?;
    let Some(ids) = ids else {
        let all = everything.events.clone();
        return Some(OverviewHistogram { all, ..everything });
    };
    let pieces: Option<Vec<OverviewHistogram>> = ids
        .slices()
        .par_iter()
        .map(|chunk| {
            if cancel.is_cancelled() {
                return None;
            }
            let mut out = OverviewHistogram::empty(range, bins);
            for event in chunk.iter().filter_map(|id| snapshot.event(EventId(*id))) {
                let is_marked = marked.is_some_and(|m| m.contains(event.id));
                out.count(scale, event.time(), event.level(), is_marked);
            }
            Some(out)
        })
        .collect();
    let sum = pieces?.into_iter().fold(
        OverviewHistogram::empty(range, bins),
        OverviewHistogram::add,
    );
    Some(OverviewHistogram {
        all: everything.events,
        ..sum
    })
}

/// Counts all records, by segment, so that only the time is looked up per record.
fn every(
    snapshot: &Snapshot,
    scale: Scale,
    marked: Option<&Selection>,
    cancel: &Cancel,
) -> Option<OverviewHistogram> {
    let empty = || OverviewHistogram::empty((scale.from, scale.to), scale.bins as usize);
    let segments = snapshot.segments.par_iter().enumerate();
    let pieces: Option<Vec<OverviewHistogram>> = segments
        .map(|(index, segment)| {
            if cancel.is_cancelled() {
                return None;
            }
            let mut out = empty();
            let levels = levels(snapshot, segment);
            let marked = marked.and_then(|m| m.segment(index));
            for part in &segment.parts {
                let source = &snapshot.sources[part.source.index()];
                let first = part.first_row as usize;
                for (row, level) in (first..first + part.rows as usize).zip(&levels[first..]) {
                    let time = Some(segment.utc(source, row)).filter(|time| *time != NO_TIME);
                    let is_marked = marked.is_some_and(|m| m.get(row));
                    out.count(scale, time, *level, is_marked);
                }
            }
            Some(out)
        })
        .collect();
    Some(pieces?.into_iter().fold(empty(), OverviewHistogram::add))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_ends_of_a_stretch_fall_into_it(from in -5_000i64..5_000, span in 1i64..1 << 61, bins in 1usize..300, at in 0usize..300) {
            let strip = OverviewHistogram::empty((from, from.saturating_add(span)), bins);
            let bin = at % bins;
            // With more bins than nanoseconds, some bins would cover no time.
            prop_assume!(span as u64 >= 2 * bins as u64);
            prop_assert_eq!(strip.bin_of(strip.time_of(bin)), bin);
            prop_assert_eq!(strip.bin_of(strip.end_of(bin)), bin);
        }
    }
}
