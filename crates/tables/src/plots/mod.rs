//! Pictures as plain data: each file holds one kind. Nothing here knows where the data comes from or how it is drawn.
//!
//! All pictures over time share one [`axis::TimeAxis`], so that what lies below each other happened at the same time.

pub mod axis;
pub mod gantt;
pub mod histogram;
pub mod number;
pub mod sequence;
pub mod spread;
pub mod state;

use widetui_analysis::series::{AxisScale, BinAggregate, SeriesKind, bins, borders, value_at};

pub use axis::TimeAxis;
pub use widetui_analysis::colour::Tone;

/// Lines drawn at once; more cannot be told apart.
pub const MOST_LINES: usize = 8;

/// A number over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotCurve {
    /// What it is, as the legend says.
    pub name: String,
    /// Time (UTC ns) and number, by time.
    pub points: Vec<(i64, f64)>,
    /// What its colour says.
    pub tone: Tone,
    /// How its numbers go on.
    pub kind: SeriesKind,
    /// Where the last number holds no longer, UTC ns.
    pub over: Option<i64>,
    /// In how many seconds growth is told of what counts up; nothing is one.
    pub seconds: f64,
}

impl PlotCurve {
    /// The number that holds at a moment; `None` before the first, and where the last holds no longer.
    pub fn at(&self, time: i64) -> Option<f64> {
        let is_over = self.over.is_some_and(|over| time > over);
        value_at(&self.points, time).filter(|_| !is_over)
    }

    /// What is drawn of a number that counts up: its growth per second (or another time), one value a column.
    pub fn growth(&self, axis: &TimeAxis) -> PlotCurve {
        let columns = usize::from(axis.columns);
        let unit = if self.seconds > 0.0 {
            self.seconds
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

    /// The greatest number that holds somewhere in a stretch, its end excluded.
    pub fn most(&self, from: i64, to: i64) -> Option<f64> {
        let first = self.points.partition_point(|p| p.0 <= from);
        let inside = self.points[first..].iter().take_while(|p| p.0 < to);
        let held = self.at(from);
        inside.map(|p| p.1).chain(held).reduce(f64::max)
    }

    /// The least, in the same way.
    pub fn least(&self, from: i64, to: i64) -> Option<f64> {
        let first = self.points.partition_point(|p| p.0 <= from);
        let inside = self.points[first..].iter().take_while(|p| p.0 < to);
        let held = self.at(from);
        inside.map(|p| p.1).chain(held).reduce(f64::min)
    }

    /// The greatest of all.
    #[cfg(test)]
    pub(crate) fn max(&self) -> f64 {
        self.points.iter().map(|p| p.1).fold(0.0, f64::max)
    }
}

/// What the colours of several say.
pub fn tones(courses: &[PlotCurve]) -> Vec<Tone> {
    courses.iter().map(|c| c.tone).collect()
}

/// A picture above a table, or instead of its rows.
#[derive(Clone, Debug, PartialEq)]
pub enum Plot {
    /// Numbers on top of each other, over time; the first at the bottom.
    Stacked(Vec<PlotCurve>),
    /// Numbers beside each other, over time, and what zero means to them.
    Lines(Vec<PlotCurve>, AxisScale),
    /// How many are how long.
    Histogram(Vec<histogram::LengthBin>),
    /// Bars in rows, over time.
    Gantt(Box<gantt::Gantt>),
    /// Arrows between actors, one below the other.
    Sequence(Box<sequence::Sequence>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_in_a_stretch_began_before_it() {
        let course = PlotCurve {
            points: vec![(10, 4.0), (20, 1.0), (30, 9.0)],
            ..PlotCurve::default()
        };
        assert_eq!(course.most(0, 10), None);
        assert_eq!(course.most(0, 11), Some(4.0));
        assert_eq!(course.most(15, 25), Some(4.0));
        assert_eq!(course.least(15, 25), Some(1.0));
        assert_eq!(course.most(25, 30), Some(1.0));
        assert_eq!((course.most(99, 100), course.max()), (Some(9.0), 9.0));
    }
}
