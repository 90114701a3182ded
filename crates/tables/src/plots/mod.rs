//! Plots as plain data, one module per kind. Nothing here depends on the origin of the data or on the renderer.
//!
//! All plots over time share one [`axis::TimeAxis`], so that aligned columns have the same time.

pub mod axis;
pub mod gantt;
pub mod histogram;
pub mod number;
pub mod sequence;
pub mod settings;
pub mod spread;

use widetui_analysis::series::{AxisScale, BinAggregate, SeriesKind, bins, borders, value_at};

pub use axis::TimeAxis;
pub use widetui_analysis::colour::Tone;

/// Maximum number of lines in a plot; more are indistinguishable.
pub const MAX_LINES: usize = 8;

/// Number over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotCurve {
    /// Name in the legend.
    pub name: String,
    /// (time in UTC ns, value) pairs, by time.
    pub points: Vec<(i64, f64)>,
    /// Meaning of its colour.
    pub tone: Tone,
    /// Course of the value between points.
    pub kind: SeriesKind,
    /// Time from which the last value no longer holds, UTC ns.
    pub end: Option<i64>,
    /// Unit of time of a counter's growth, s; 0 means 1.
    pub rate_unit_s: f64,
}

impl PlotCurve {
    /// Value at a time; `None` before the first point and after the end of the last one.
    pub fn at(&self, time: i64) -> Option<f64> {
        let is_over = self.end.is_some_and(|over| time > over);
        value_at(&self.points, time).filter(|_| !is_over)
    }

    /// Growth of a counter per unit of time, one value per column.
    pub fn growth(&self, axis: &TimeAxis) -> PlotCurve {
        let columns = usize::from(axis.columns);
        let unit = if self.rate_unit_s > 0.0 {
            self.rate_unit_s
        } else {
            1.0
        };
        let rates = bins(
            &self.points,
            SeriesKind::Counter,
            BinAggregate::Max,
            axis.range,
            columns,
        );
        let all = borders(axis.range, columns).zip(rates);
        PlotCurve {
            points: all
                .filter_map(|(at, rate)| Some((at, rate? * unit)))
                .collect(),
            name: self.name.clone(),
            tone: self.tone,
            ..PlotCurve::default()
        }
    }

    /// Maximum value within `from..to`.
    pub fn max_within(&self, from: i64, to: i64) -> Option<f64> {
        let first = self.points.partition_point(|p| p.0 <= from);
        let inside = self.points[first..].iter().take_while(|p| p.0 < to);
        let held = self.at(from);
        inside.map(|p| p.1).chain(held).reduce(f64::max)
    }

    /// Minimum value within `from..to`.
    pub fn min_within(&self, from: i64, to: i64) -> Option<f64> {
        let first = self.points.partition_point(|p| p.0 <= from);
        let inside = self.points[first..].iter().take_while(|p| p.0 < to);
        let held = self.at(from);
        inside.map(|p| p.1).chain(held).reduce(f64::min)
    }

    /// Maximum of all values.
    #[cfg(test)]
    pub(crate) fn max(&self) -> f64 {
        self.points.iter().map(|p| p.1).fold(0.0, f64::max)
    }
}

/// Meanings of the colours of curves.
pub fn tones(courses: &[PlotCurve]) -> Vec<Tone> {
    courses.iter().map(|c| c.tone).collect()
}

/// Plot above a table, or in place of its rows.
#[derive(Clone, Debug, PartialEq)]
pub enum Plot {
    /// Stacked areas over time; the first is at the bottom.
    Stacked(Vec<PlotCurve>),
    /// Lines over time, and the meaning of zero.
    Lines(Vec<PlotCurve>, AxisScale),
    /// Histogram of durations.
    Histogram(Vec<histogram::LengthBin>),
    /// Bars in rows over time.
    Gantt(Box<gantt::Gantt>),
    /// Sequence diagram: arrows between actors, one below the other.
    Sequence(Box<sequence::Sequence>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_includes_the_value_before_it() {
        let course = PlotCurve {
            points: vec![(10, 4.0), (20, 1.0), (30, 9.0)],
            ..PlotCurve::default()
        };
        assert_eq!(course.max_within(0, 10), None);
        assert_eq!(course.max_within(0, 11), Some(4.0));
        assert_eq!(course.max_within(15, 25), Some(4.0));
        assert_eq!(course.min_within(15, 25), Some(1.0));
        assert_eq!(course.max_within(25, 30), Some(1.0));
        assert_eq!((course.max_within(99, 100), course.max()), (Some(9.0), 9.0));
    }
}
