//! Series: values of a numeric key over time, split into lines by other keys.
//!
//! ```text
//! Snapshot ──scan──> Series: a line of points for each group ──bins──> one value per screen column
//! ```

mod columns;
mod scale;
mod scan;
mod spec;

use widetui_core::ids::EventId;
use widetui_store::Snapshot;

use crate::runs::RunEnds;
use crate::step_function::StepFunction;

pub use columns::{BinAggregate, bins, borders, mean_over, sum_gauges, value_at};
pub use scale::AxisScale;
pub use scan::series;
pub use spec::{SeriesSpec, from_definition};

pub use widetui_definition::semantics::SeriesKind;

/// Explanation of the mean of a line for the user.
pub const MEAN_NOTE: &str = "each value counts until the next one, the last until its run ends";

/// Measured value with its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeriesPoint {
    /// Time of the measurement, UTC ns.
    pub time: i64,
    /// Measured value.
    pub value: f64,
    /// Event that states the value.
    pub(crate) event: u32,
}

/// Line of a series: the points of one group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeriesLine {
    /// Values of the keys that split lines, in their order; empty without a value.
    pub group: Vec<String>,
    /// Points by time, then by event.
    pub points: Vec<SeriesPoint>,
    /// End of the run of the last point, UTC ns, if other runs last longer: the last value holds
    /// until then.
    pub run_end: Option<i64>,
    /// Start of the run, UTC ns, if the times of the points count from there.
    pub start: Option<i64>,
}

impl SeriesLine {
    /// Line of the numbers of a group over time.
    pub fn from_steps(group: Vec<String>, steps: &StepFunction) -> SeriesLine {
        let points = steps.points.iter().map(|(time, value)| SeriesPoint {
            time: *time,
            value: *value as f64,
            event: 0,
        });
        SeriesLine {
            group,
            points: points.collect(),
            ..SeriesLine::default()
        }
    }

    /// The line with times since `start`, UTC ns.
    #[must_use]
    pub fn from_start(mut self, start: i64) -> SeriesLine {
        for point in &mut self.points {
            point.time = point.time.saturating_sub(start);
        }
        self.run_end = self.run_end.map(|end| end.saturating_sub(start));
        self.start = Some(start);
        self
    }

    /// Points as pairs of time and value.
    pub fn point_pairs(&self) -> Vec<(i64, f64)> {
        self.points.iter().map(|p| (p.time, p.value)).collect()
    }

    /// Mean over time: each value holds until the next one, the last until `end` (UTC ns) or the
    /// end of its run, whichever is earlier.
    pub fn mean(&self, end: i64) -> Option<f64> {
        let end = self.run_end.map_or(end, |run_end| run_end.min(end));
        mean_over(&self.point_pairs(), end)
    }

    /// Aggregates the points into columns, see [`bins`]; a gauge has no value after the end of its
    /// run.
    pub fn bins(
        &self,
        (kind, pick): (SeriesKind, BinAggregate),
        range: (i64, i64),
        columns: usize,
    ) -> Vec<Option<f64>> {
        let mut out = bins(&self.point_pairs(), kind, pick, range, columns);
        if let Some(run_end) = self.run_end.filter(|_| kind == SeriesKind::Gauge) {
            let after_end = borders(range, columns).zip(&mut out);
            after_end
                .filter(|(from, _)| *from > run_end)
                .for_each(|(_, value)| *value = None);
        }
        out
    }

    /// Values of the group in one text.
    pub fn name(&self) -> String {
        self.group.join(" ")
    }
}

/// Values of a numeric key over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Lines by number of points, descending.
    pub lines: Vec<SeriesLine>,
    /// Number of values that are not numeric.
    pub not_numeric: u64,
    /// Number of values in records without a time.
    pub untimed: u64,
}

impl Series {
    /// Lines by their maximum, descending; equal lines keep the order by number of points.
    pub fn lines_by_maximum(&self) -> Vec<&SeriesLine> {
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

    /// Sets the end of the run of each line.
    #[must_use]
    pub fn with_run_ends(mut self, snapshot: &Snapshot, ends: &RunEnds) -> Series {
        for line in &mut self.lines {
            let run_end = |last: &SeriesPoint| {
                let run_end = ends
                    .end_for_event(snapshot, EventId(last.event))
                    .max(last.time);
                ends.if_before_last(run_end)
            };
            line.run_end = line.points.last().and_then(run_end);
        }
        self
    }

    /// Clips the points to a time window; the value of a gauge at its start is kept as a point
    /// there.
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
                kept.push(SeriesPoint {
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
        let point = |t: &i64| SeriesPoint {
            time: *t,
            value: *t as f64,
            event: 0,
        };
        Series {
            lines: vec![SeriesLine {
                group: Vec::new(),
                points: times.iter().map(point).collect(),
                ..SeriesLine::default()
            }],
            ..Series::default()
        }
    }

    fn points(series: &Series) -> Vec<(i64, f64)> {
        let lines = series.lines.iter().flat_map(|l| &l.points);
        lines.map(|p| (p.time, p.value)).collect()
    }

    #[test]
    fn the_last_value_holds_until_its_run_ends() {
        let mut found = line(&[10, 20]);
        let mean = |found: &Series, end: i64| found.lines[0].mean(end);
        // 10 for 10, then 20 for 20.
        assert_eq!(mean(&found, 40), Some(500.0 / 30.0));
        found.lines[0].run_end = Some(30);
        assert_eq!(mean(&found, 40), Some(15.0));
        assert_eq!(mean(&found, 20), Some(10.0));
        let of = (SeriesKind::Gauge, BinAggregate::Max);
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
