//! Series: a number over time. Any numeric key is one, told apart by any other keys.
//!
//! ```text
//! Snapshot ──scan──> Series: a line of points for each group ──bins──> one value a column of the screen
//! ```

mod columns;
mod scale;
mod scan;
mod spec;

use widetui_core::ids::EventId;
use widetui_store::Snapshot;

use crate::runs::RunEnds;

pub use columns::{BinPick, bins, borders, holding, mean_over, series_rate, summed};
pub use scale::Scale;
pub use scan::series;
pub use spec::{SeriesSpec, of_definition};

pub use widetui_definition::meaning::SeriesKind;

/// What counts in the mean of a line, for people.
pub const MEANS: &str = "each value counts until the next one, the last until its run ends";

/// A measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// When, UTC ns.
    pub time: i64,
    /// What was measured.
    pub value: f64,
    /// The event that says it.
    pub event: u32,
}

/// The points of one group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeriesLine {
    /// Values of the keys that tell lines apart, in their order; empty where an event does not say.
    pub group: Vec<String>,
    /// By time; of one moment in the order of their events.
    pub points: Vec<Point>,
    /// Where the run of the last one ends, UTC ns, if others go on behind that: its value holds no longer.
    pub over: Option<i64>,
}

impl SeriesLine {
    /// Its points as they are drawn: time and value.
    pub fn plain(&self) -> Vec<(i64, f64)> {
        self.points.iter().map(|p| (p.time, p.value)).collect()
    }

    /// The mean over time: each value counts until the next one, the last until `end`, UTC ns, or until its run ends, where
    /// that comes first.
    pub fn mean(&self, end: i64) -> Option<f64> {
        let end = self.over.map_or(end, |over| over.min(end));
        mean_over(&self.plain(), end)
    }

    /// Put into columns, as [`columns`] does; a gauge has no value behind the end of its run.
    pub fn bins(
        &self,
        (kind, pick): (SeriesKind, BinPick),
        range: (i64, i64),
        columns: usize,
    ) -> Vec<Option<f64>> {
        let mut out = bins(&self.plain(), kind, pick, range, columns);
        if let Some(over) = self.over.filter(|_| kind == SeriesKind::Gauge) {
            let behind = borders(range, columns).zip(&mut out);
            behind
                .filter(|(from, _)| *from > over)
                .for_each(|(_, value)| *value = None);
        }
        out
    }

    /// Its group in one text.
    pub fn name(&self) -> String {
        self.group.join(" ")
    }
}

/// A number over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// By the number of points, most first.
    pub lines: Vec<SeriesLine>,
    /// Values that are no numbers.
    pub not_numeric: u64,
    /// Numbers in records without a time.
    pub untimed: u64,
}

impl Series {
    /// Its lines as they are drawn: many points say more about a run than few; of lines with as many the greater one comes
    /// first.
    pub fn greatest_first(&self) -> Vec<&SeriesLine> {
        let most = |l: &&SeriesLine| l.points.iter().map(|p| p.value).fold(f64::MIN, f64::max);
        let mut lines: Vec<&SeriesLine> = self.lines.iter().collect();
        lines.sort_by(|a, b| most(b).total_cmp(&most(a)));
        lines
    }
}

impl Series {
    /// Earliest and latest time, UTC ns.
    pub fn range(&self) -> Option<(i64, i64)> {
        let ends = self.lines.iter().filter_map(|l| {
            let (first, last) = (l.points.first()?, l.points.last()?);
            Some((first.time, last.time))
        });
        ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }

    /// With the ends of the runs of its lines.
    #[must_use]
    pub fn within(mut self, snapshot: &Snapshot, ends: &RunEnds) -> Series {
        for line in &mut self.lines {
            let over = |last: &Point| {
                let over = ends.of_event(snapshot, EventId(last.event)).max(last.time);
                ends.before_all(over)
            };
            line.over = line.points.last().and_then(over);
        }
        self
    }

    /// Without the points outside of a stretch of time; the value that holds at its start is kept as a point there.
    #[must_use]
    pub fn clipped(mut self, since: Option<i64>, until: Option<i64>, kind: SeriesKind) -> Series {
        for line in &mut self.lines {
            let from = since.map_or(0, |s| line.points.partition_point(|p| p.time < s));
            let to = until.map_or(line.points.len(), |u| {
                line.points.partition_point(|p| p.time < u)
            });
            let mut kept = Vec::with_capacity(to.saturating_sub(from) + 1);
            let is_hidden = line
                .points
                .get(from)
                .is_none_or(|p| since.is_some_and(|s| p.time > s));
            if let Some(since) = since
                && kind == SeriesKind::Gauge
                && is_hidden
                && let Some(before) = from.checked_sub(1).and_then(|at| line.points.get(at))
                && until.is_none_or(|u| since < u)
            {
                kept.push(Point {
                    time: since,
                    ..*before
                });
            }
            kept.extend(line.points.get(from..to.max(from)).unwrap_or_default());
            line.points = kept;
        }
        self.lines.retain(|l| !l.points.is_empty());
        self
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn line(times: &[i64]) -> Series {
        let point = |t: &i64| Point {
            time: *t,
            value: *t as f64,
            event: 0,
        };
        Series {
            lines: vec![SeriesLine {
                group: Vec::new(),
                points: times.iter().map(point).collect(),
                over: None,
            }],
            ..Series::default()
        }
    }

    fn points(series: &Series) -> Vec<(i64, f64)> {
        let lines = series.lines.iter().flat_map(|l| &l.points);
        lines.map(|p| (p.time, p.value)).collect()
    }

    #[test]
    fn the_last_value_counts_until_its_run_ends() {
        let mut found = line(&[10, 20]);
        let mean = |found: &Series, end: i64| found.lines[0].mean(end);
        // 10 for 10, then 20 for 20.
        assert_eq!(mean(&found, 40), Some(500.0 / 30.0));
        found.lines[0].over = Some(30);
        assert_eq!(mean(&found, 40), Some(15.0));
        assert_eq!(mean(&found, 20), Some(10.0));
        let of = (SeriesKind::Gauge, BinPick::Max);
        let drawn = found.lines[0].bins(of, (0, 60), 6);
        let some = |value: f64| Some(value);
        assert_eq!(drawn[..4], [None, some(10.0), some(20.0), some(20.0)]);
        assert_eq!(drawn[4..], [None, None]);
    }

    #[test]
    fn a_gauge_holds_at_the_start_of_the_window() {
        let clipped = line(&[10, 20, 30]).clipped(Some(15), Some(30), SeriesKind::Gauge);
        assert_eq!(points(&clipped), [(15, 10.0), (20, 20.0)]);
        let exact = line(&[10, 20, 30]).clipped(Some(20), None, SeriesKind::Gauge);
        assert_eq!(points(&exact), [(20, 20.0), (30, 30.0)]);
        let counter = line(&[10, 20, 30]).clipped(Some(15), None, SeriesKind::Counter);
        assert_eq!(points(&counter), [(20, 20.0), (30, 30.0)]);
        assert!(
            line(&[10])
                .clipped(Some(3), Some(5), SeriesKind::Gauge)
                .lines
                .is_empty()
        );
    }
}
